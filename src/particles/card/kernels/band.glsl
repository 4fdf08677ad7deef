// Rows of a level in a plane that one group relaxes several times over, as the processor does whole
// levels: TALL rows, and HALO more to each side, of which one is wrong after each time. Pressures
// stand in `own`, so a level is read from one array and left in another.
#define ROWS (TALL + 2 * HALO)
#define ALL 256
#define CHUNK 64

shared float own[ROWS * (ROOM + 2)];
shared int begins[ROWS]; // the first cell of a row that has pressure

int place_in(int j, int x)
{
    return j * (ROOM + 2) + x + 1;
}

uint twin_of(Level l)
{
    return 6u * l.slots; // from a pressure to that in the other array
}

int lowest_row()
{
    return TALL * int(thread_here().x / uint(ALL)) - HALO;
}

// What stands beside the rows, and where they begin.
void begin_band(Level l)
{
    int t = int(gl_LocalInvocationIndex), a = lowest_row() + t;
    if (t >= ROWS) return;
    own[place_in(t, -1)] = own[place_in(t, l.n.x)] = 0.0;
    uint low = a >= 0 && a < l.n.y ? rows[l.row + uint(a)] : TOO_FAR;
    begins[t] = low == TOO_FAR ? -1 : int(low & ~1u);
}

float pulled(Level l, uint at, int j, int x)
{
    uint jy = at + 5u * l.slots;
    precise float t = levels[at + l.slots] + (levels[jy] * own[place_in(j - 1, x)] +
                                              levels[jy + l.pitch] * own[place_in(j + 1, x)]);
    return t;
}

void relax_at(Level l, int j, int x, bool top)
{
    int i = place_in(j, x);
    uint at = place_of(l, ivec3(x, lowest_row() + j, 0));
    own[i] = relaxed(l, at, pulled(l, at, j, x), own[i], own[i - 1], own[i + 1], top);
}

// Every second cell of the rows of one colour, then the others, 64 cells after the other (relax.glsl).
void relax_band(Level l, int colour, bool top)
{
    int odd = (lowest_row() + 1 + colour) & 1, first_j = 1 + odd, t = int(gl_LocalInvocationIndex);
    int many = (ROWS - first_j) / 2; // rows first_j, first_j + 2, … up to ROWS - 2
    for (int part = 0; part < 4; part++) {
        bool seam = part == 1 || part == 2;
        int each = seam ? (l.n.x + CHUNK - 1) / CHUNK : (l.n.x + 1) / 2;
        if (seam && l.n.x < CHUNK) continue;
        for (int k = t; k < many * each; k += ALL) {
            int row = k / each, j = first_j + 2 * row, n = k - row * each, low = begins[j];
            if (low < 0) continue;
            int x = part == 0 ? 2 * n : part == 1 ? low + CHUNK * n + CHUNK - 1
                              : part == 2 ? low + CHUNK * (n + 1) : 2 * n + 1;
            int from = x - low, in_chunk = from & (CHUNK - 1);
            bool first_of = from > 0 && in_chunk == 0, last_of = from > 0 && in_chunk == CHUNK - 1;
            if (x >= l.n.x || from < 0 || (part == 0 && first_of) || (part == 3 && last_of)) continue;
            relax_at(l, j, x, top);
        }
        barrier();
    }
}
