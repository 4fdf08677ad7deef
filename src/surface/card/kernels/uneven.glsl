// The list of columns that are nodes and not even, of what is made anew: in no order. It stands where
// the meniscus has its rings later.
uint uneven_slot(uint number)
{
    return rings[number];
}

uint uneven_number(uint slot)
{
    return rings[law.slots + slot];
}

void put_uneven(uint number, uint slot)
{
    rings[number] = slot, rings[law.slots + slot] = number;
}
