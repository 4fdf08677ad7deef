// Fluxes are scaled, and depths stay as they are: passages change some in between, and then comes
// `level` with SETTLED.
layout(local_size_x = 64, local_size_y = 4) in;
CHANGES(AT_FLUX, Flux, float, flux);
READS(AT_NEW_FLUX, NewFlux, float, new_flux);
READS(AT_SCALES, Scales, float, scales);
READS(AT_BITS, Bits, uint, bits);
#include "blocks"
#include "scaled"

void main()
{
    Place at = place_here();
    if (!at.exists || !is_awake(at)) return;
    uint i = at.slot, n = law.slots, high = i + at.pitch;
    flux[i] = scaled(new_flux[i], i, i + 1u);
    flux[n + i] = scaled(new_flux[n + i], i, high);
#ifdef EIGHT
    flux[2u * n + i] = scaled(new_flux[2u * n + i], i, high + 1u);
    flux[3u * n + i] = scaled(new_flux[3u * n + i], i, high - 1u);
#endif
}
