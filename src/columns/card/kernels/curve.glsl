// The head that surface tension adds to a column (../../laws/tension.h): the functions do what those
// with the names rv_tension_… do there.

struct Slope {
    float along, across;
};

struct Face {
    float bed, film, level, along;
};

Slope slopes_of(float low, float high, float low_left, float high_left, float low_right,
                float high_right)
{
    precise float beside = (low_left - low_right) + (high_left - high_right);
    precise float along = (high - low) * law.per, across = beside * law.quarter;
    return Slope(along, across);
}

float root_under(float a)
{
    return inverse_of(root_of(a));
}

Face face_through(Slope b, Slope h, Slope n)
{
    precise float aa = b.along * b.along, cc = b.across * b.across;
    precise float g = 1.0 + (aa + cc);
    float root = root_under(g);
    precise float share = root * root, mixed = b.along * b.across;
    precise float rise = ((1.0 + cc) * n.along - mixed * n.across) * share;
    precise float other = ((1.0 + aa) * n.across - mixed * n.along) * share;
    precise float square = 1.0 + (rise * n.along + other * n.across);
    precise float la = b.along + h.along, lc = b.across + h.across;
    precise float steep = 1.0 + (la * la + lc * lc);
    float root_square = root_under(square), root_steep = root_under(steep);
    precise float bed = b.along * root, film = (g * root) * rise * root_square;
    precise float level = la * root_steep, leans = la * b.along;
    return Face(bed, film, level, larger(smaller(leans, aa), 0.0));
}

float how_deep(float thick)
{
    precise float share = thick * law.curve_thin - 0.666666686534881591796875;
    return larger(smaller(share, 1.0), 0.0);
}

Face sum_of(Face w, Face e, Face s, Face n)
{
    precise float bed = (e.bed - w.bed) + (n.bed - s.bed);
    precise float film = (e.film - w.film) + (n.film - s.film);
    precise float level = (e.level - w.level) + (n.level - s.level);
    precise float along = 0.5 * ((e.along + w.along) + (n.along + s.along));
    return Face(bed, film, level, along);
}

float curve_of(Face sum, float lean, float deep)
{
    precise float least = 0.0 - law.curve_bend, scaled = sum.bed * law.per;
    float bed = larger(smaller(scaled, law.curve_bend), least);
    precise float film = bed + sum.film * law.per * lean;
    precise float curve = film + deep * (sum.level * law.per - film);
    return curve;
}

float wetted_after(float thick, float full, float wetted)
{
    precise float few = 0.0500000007450580596923828125 * full;
    float kept = thick > few ? wetted : 0.0;
    return thick > full ? 1.0 : kept;
}

// Head of a column with these faces, m; `cost`: m², of wetting it.
float head_of(Face sum, float own, float thick, float lean, float deep, float cost, float full)
{
    float per = inverse_of(full);
    precise float left = 1.0 - thick * per;
    precise float wetting = (cost + cost) * per * larger(left, 0.0);
    precise float head = wetting - law.length2 * curve_of(sum, lean, deep);
    precise float more = 1.0 + sum.along;
    precise float leans = own * (1.0 - deep) * (sum.along * inverse_of(more));
    precise float result = head - leans;
    return result;
}
