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

// `west` … `north`: what flows there before it is scaled.
float share_given(float own, float west, float east, float south, float north)
{
    precise float ask = law.dt_area * outflow(west, east, south, north);
    return share_of(to_give(own), ask);
}

// A flux, with the shares of the columns it comes from if it is positive, and if not.
float scaled_by(float f, float low, float high)
{
    precise float result = f * (f > 0.0 ? low : high);
    return result;
}
