// New fluxes of the papers' pipe (../../laws/cell.h), unscaled, of the pipes whose low end is a
// column. PLAIN: nothing but levels counts. EIGHT: diagonals too.
layout(local_size_x = 64, local_size_y = 4) in;
READS(AT_BEDS, Beds, float, beds);
READS(AT_DEPTH, Depth, float, depth);
READS(AT_PIPES, Pipes, uint, pipes);
CHANGES(AT_FLUX, Flux, float, flux);
CHANGES(AT_NEW_FLUX, NewFlux, float, new_flux);
READS(AT_BITS, Bits, uint, bits);
READS(AT_STATUS, Status, uint, status);
#ifdef PRESSED
READS(AT_PRESS, Press, float, press);
#endif
#include "blocks"
#include "halted"

#include "cell_pipe"

float pipe_flux(uint a, uint b, float slope, float gaps, float share, float slant, float before)
{
    return pipe_between(a, b, vec2(beds[a], depth[a]), vec2(beds[b], depth[b]), slope, gaps, share,
                        slant, before);
}

void main()
{
    Place at = place_here();
    if (is_halted()) return;
    if (!at.exists) return;
    uint i = at.slot, n = law.slots;
    if (!is_awake(at)) {
        if (was_awake(at)) // what falls asleep stops, and nobody looks at its fluxes
            for (uint way = 0u; way < law.ways; way++)
                flux[way * n + i] = 0.0, new_flux[way * n + i] = 0.0;
        return;
    }
    bool top = at.y + 1u == at.ny; // its pipes to the next row are none
    uint slopes = pipes[i], gaps = 0u;
#ifdef EIGHT
    uint diagonals = pipes[2u * n + i];
    gaps = pipes[3u * n + i];
#endif
    new_flux[i] = pipe_flux(i, i + 1u, float(slopes & 0xffffu), float(gaps & 0xffffu), law.share,
                            law.slant_x, flux[i]);
    new_flux[n + i] = top ? flux[n + i]
                          : pipe_flux(i, i + at.pitch, float(slopes >> 16), float(gaps >> 16),
                                      law.share, law.slant_y, flux[n + i]);
#ifdef EIGHT
    precise float slant_ne = law.slant_x + law.slant_y, slant_nw = -law.slant_x + law.slant_y;
    new_flux[2u * n + i] =
        top ? flux[2u * n + i]
            : pipe_flux(i, i + at.pitch + 1u, float(diagonals & 0xffffu), 0.0, law.diagonal_share,
                        slant_ne, flux[2u * n + i]);
    new_flux[3u * n + i] =
        top ? flux[3u * n + i]
            : pipe_flux(i, i + at.pitch - 1u, float(diagonals >> 16), 0.0, law.diagonal_share,
                        slant_nw, flux[3u * n + i]);
#endif
}
