// How far heads of deep liquid are smoothed (rv_calm_share in ../../laws/flow.h).

float calm_share(float deep, float from)
{
#ifdef EIGHT
    return 0.0; // eight neighbours have none of it
#else
    precise float share = deep * from - 2.0;
    return larger(smaller(share, 1.0), 0.0);
#endif
}
