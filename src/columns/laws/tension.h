// The head that surface tension adds to a column, as small functions without branches over rv_f:
// one float, or a vector of them (base/simd.h). With ℓ² = γ/(ρ g), n the thickness across the bed
// and θ the contact angle:
//     φ = h − ℓ² κ + ℓ² (1 − cos θ) w′,   w′ = (2/h*)(1 − n/h*) while n < h*, else 0
// (of thin liquid that leans, h is less than base and depth, see rv_tension_leans).
// κ is the curvature of the surface. The last term is what wetting the bed costs, spread over
// thicknesses up to h*: there is no contact line to follow, and liquid comes to rest at the
// thickness 2ℓ sin(θ/2) that the energies give.
//
// Thin liquid has its κ in the bed's own metric,
//     κ = κ_bed + (1/√G) ∂ᵢ(√G Gⁱʲ ∂ⱼn / √(1 + Gⁱʲ ∂ᵢn ∂ⱼn)),  G⁻¹ = 1 − ∇b∇bᵀ/(1+|∇b|²)
// and √G = √(1+|∇b|²), so that a drop on a steep bed is a drop, though its front leans over and no
// level can. Of deep liquid κ is that of its level; in between the two are mixed.
#ifndef RV_COLUMNS_TENSION_LAW_H
#define RV_COLUMNS_TENSION_LAW_H

#include "columns/laws/loops.h"

// What stays the same for all columns.
struct rv_tension_law {
    float length2; // m², ℓ²
    float per;     // 1/m, 1/dx
    float quarter; // 1/m, 1/(4 dx)
    float bend;    // 1/m, the bed's curvature counts as no more: 1/dx
    float thin; // 1/m, 1/(1.5 ℓ): the level's κ counts from n = ℓ on, and alone from 2.5 ℓ on
};

// What the curvature is the divergence of, through one face: of the bed, of the thickness in the
// bed's metric, and of the level.
typedef struct rv_tension_face {
    rv_f bed, film, level;
    rv_f along; // and how far the level leans with the bed, 0 … the square of the bed's slope
} rv_tension_face;

// Differences of a quantity along a face (low to high) and across it (four columns beside).
typedef struct rv_tension_slope {
    rv_f along, across;
} rv_tension_slope;

RV_INLINE rv_tension_slope rv_tension_slopes(const rv_tension_law *law, rv_f low, rv_f high,
                                             rv_f low_left, rv_f high_left, rv_f low_right,
                                             rv_f high_right)
{
    rv_f across = (low_left - low_right) + (high_left - high_right);
    return (rv_tension_slope){(high - low) * rv_f_set(law->per), across * rv_f_set(law->quarter)};
}

RV_INLINE rv_f rv_tension_root(rv_f a)
{
    return rv_f_inverse(rv_f_sqrt(a));
}

RV_INLINE rv_tension_face rv_tension_through(rv_tension_slope b, rv_tension_slope h,
                                             rv_tension_slope n)
{
    rv_f one = rv_f_set(1.0f), aa = b.along * b.along, cc = b.across * b.across;
    rv_f g = one + (aa + cc), root = rv_tension_root(g), share = root * root;
    rv_f mixed = b.along * b.across;
    // √G Gⁱʲ ∂ⱼn along the face, and Gⁱʲ ∂ᵢn ∂ⱼn
    rv_f rise = ((one + cc) * n.along - mixed * n.across) * share;
    rv_f other = ((one + aa) * n.across - mixed * n.along) * share;
    rv_f square = one + (rise * n.along + other * n.across);
    rv_f la = b.along + h.along, lc = b.across + h.across;
    return (rv_tension_face){
        .bed = b.along * root,
        .film = (g * root) * rise * rv_tension_root(square),
        .level = la * rv_tension_root(one + (la * la + lc * lc)),
        .along = rv_f_max(rv_f_min(la * b.along, aa), rv_f_set(0.0f)),
    };
}

// How far a column is deep liquid, 0 … 1.
RV_INLINE rv_f rv_tension_deep(const rv_tension_law *law, rv_f thick)
{
    rv_f share = thick * rv_f_set(law->thin) - rv_f_set(1.0f / 1.5f);
    return rv_f_max(rv_f_min(share, rv_f_set(1.0f)), rv_f_set(0.0f));
}

// What the faces of a column add up to in thin liquid: κ, 1/m. `lean`: cosine of the bed's tilt.
RV_INLINE rv_f rv_tension_curve_thin(const rv_tension_law *law, rv_tension_face sum, rv_f lean)
{
    rv_f per = rv_f_set(law->per), most = rv_f_set(law->bend), zero = rv_f_set(0.0f);
    rv_f bed = rv_f_max(rv_f_min(sum.bed * per, most), zero - most);
    return bed + sum.film * per * lean;
}

// … and in any.
RV_INLINE rv_f rv_tension_curve(const rv_tension_law *law, rv_tension_face sum, rv_f lean,
                                rv_f deep)
{
    rv_f film = rv_tension_curve_thin(law, sum, lean);
    return film + deep * (sum.level * rv_f_set(law->per) - film);
}

RV_INLINE rv_tension_face rv_tension_sum(rv_tension_face w, rv_tension_face e, rv_tension_face s,
                                         rv_tension_face n)
{
    return (rv_tension_face){(e.bed - w.bed) + (n.bed - s.bed),
                             (e.film - w.film) + (n.film - s.film),
                             (e.level - w.level) + (n.level - s.level),
                             rv_f_set(0.5f) * ((e.along + w.along) + (n.along + s.along))};
}

// What wetting costs as a head, m: `cost` is ℓ² (1 − cos θ) in m², `full` is h*.
RV_INLINE rv_f rv_tension_wetting(rv_f thick, rv_f cost, rv_f full)
{
    rv_f per = rv_f_inverse(full), zero = rv_f_set(0.0f);
    rv_f left = rv_f_max(rv_f_set(1.0f) - thick * per, zero);
    return (cost + cost) * per * left;
}

// Whether a bed counts as wet: from h* on, until a twentieth of it is left.
RV_INLINE rv_f rv_tension_wetted(rv_f thick, rv_f full, rv_f wetted)
{
    rv_f zero = rv_f_set(0.0f), one = rv_f_set(1.0f);
    rv_f kept = rv_f_pick(rv_f_above(thick, rv_f_set(0.05f) * full), wetted, zero);
    return rv_f_pick(rv_f_above(thick, full), one, kept);
}

// Weight presses on a leaning bed by the length of liquid across it, not by its depth: with the
// level's slope h and the bed's b that is H/(1 + ∇h·∇b), all of H in a lake and H cos²β in a film.
// What is to be taken off the level, m.
RV_INLINE rv_f rv_tension_leans(rv_f depth, rv_f along, rv_f deep)
{
    rv_f one = rv_f_set(1.0f);
    return depth * (one - deep) * (along * rv_f_inverse(one + along));
}

RV_INLINE rv_f rv_tension_head(const rv_tension_law *law, rv_f curve, rv_f thick, rv_f cost,
                               rv_f full)
{
    return rv_tension_wetting(thick, cost, full) - rv_f_set(law->length2) * curve;
}

#endif
