// Sums over the fluxes of a column (base/depths.h). Needs `new_flux`, and with ODD the odd columns.

float outflow(float low_x, float high_x, float low_y, float high_y)
{
    precise float sum = (larger(high_x, 0.0) - smaller(low_x, 0.0)) +
                        (larger(high_y, 0.0) - smaller(low_y, 0.0));
    return sum;
}

float inflow(float low_x, float high_x, float low_y, float high_y)
{
    precise float sum = (larger(low_x, 0.0) - smaller(high_x, 0.0)) +
                        (larger(low_y, 0.0) - smaller(high_y, 0.0));
    return sum;
}
