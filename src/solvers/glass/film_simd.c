// The loop of film.h. This file is compiled once per instruction set with RV_ISA set to its name,
// and all of them give the same bits. A row's run is rounded up to whole vectors: the slots past a
// row's end belong to it and stay dry (terrain/columns.h).
#define RV_SIMD
#include "solvers/glass/film.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(a) #a
#define TEXT(a) TEXT2(a)

typedef struct beside {
    rv_f height; // m; the middle's own where the cell is not loose: nothing flows to or from there
    rv_f low;    // m, for erosion: beyond an edge the surface goes on down
} beside;

RV_INLINE rv_mask is_loose(const uint16_t *kind)
{
    return rv_f_above(rv_f_load_u16(kind), rv_f_set(1.5f));
}

// Two cells on either side of the middle. At an edge the slope is that on the inside, or down to
// the glass, whichever is steeper; a trail's edge would else creep the slower the thinner it is.
RV_INLINE void pair(rv_film_row row, int x, long step, rv_f middle, beside *a, beside *b)
{
    rv_mask loose_a = is_loose(row.kind + x - step), loose_b = is_loose(row.kind + x + step);
    a->height = rv_f_pick(loose_a, rv_f_load(row.height + x - step), middle);
    b->height = rv_f_pick(loose_b, rv_f_load(row.height + x + step), middle);
    rv_f zero = rv_f_set(0.0f), twice = middle + middle;
    a->low = rv_f_pick(loose_a, a->height, rv_f_min(zero, twice - b->height));
    b->low = rv_f_pick(loose_b, b->height, rv_f_min(zero, twice - a->height));
}

RV_INLINE rv_f fall(rv_f middle, beside a, beside b)
{
    return rv_f_max(rv_f_set(0.0f), middle - rv_f_min(a.low, b.low));
}

static void film(const rv_film_law *law_in, rv_film_row row, int count)
{
    const rv_film_law law = *law_in;
    rv_f axial = rv_f_set(law.smooth * (2.0f / 3.0f)), diagonal = rv_f_set(law.smooth / 6.0f);
    rv_f thick = rv_f_set(law.film), zero = rv_f_set(0.0f);
    for (int x = 0; x < count; x += RV_LANES) {
        rv_mask loose = is_loose(row.kind + x);
        rv_f h = rv_f_load(row.height + x);
        if (!rv_any(loose)) {
            rv_f_store(row.next + x, h);
            continue;
        }
        beside w, e, s, n, sw, ne, se, nw;
        pair(row, x, 1, h, &w, &e);
        pair(row, x, row.pitch, h, &s, &n);
        pair(row, x, row.pitch + 1, h, &sw, &ne);
        pair(row, x, row.pitch - 1, h, &se, &nw);
        rv_f four = rv_f_set(4.0f) * h;
        rv_f more = axial * (((w.height + e.height) + (s.height + n.height)) - four) +
                    diagonal * (((sw.height + ne.height) + (se.height + nw.height)) - four);
        rv_f along_x = fall(h, w, e), along_y = fall(h, s, n);
        rv_f slope = rv_f_sqrt(along_x * along_x + along_y * along_y);
        rv_f next = (h + more) - rv_f_set(law.erode) * slope;
        rv_f over = rv_f_max(zero, next - thick);
        next = rv_f_max(zero, next - (over - rv_f_set(law.kept) * over));
        rv_f_store(row.next + x, rv_f_pick(loose, next, h));
    }
}

const rv_film_rows PASTE(rv_film_rows_, RV_ISA);
const rv_film_rows PASTE(rv_film_rows_, RV_ISA) = {TEXT(RV_ISA), film};
