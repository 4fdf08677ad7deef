// Rows of a level in a plane that one group relaxes several times over, as the processor does whole
// levels: TALL rows, and HALO more to each side, of which one is wrong after each time. Pressures
// stand in `band`, so a level is read from one array and left in another. ALL: threads of the group.
#define TALL 4
#define HALO 5
#define ROWS (TALL + 2 * HALO)
#define SEAM 64

#ifndef band // which may be another array that nobody needs then
shared float band[ROWS * (ROOM + 2)];
#endif
shared int begins[ROWS]; // the first cell of a row that has pressure
shared uint left_most;
int lowest; // the first of the rows

int place_in(int j, int x)
{
    return j * (ROOM + 2) + x + 1;
}

uint twin_of(Level l)
{
    return 6u * l.slots; // from a pressure to that in the other array
}

int lowest_of(int number)
{
    return TALL * number - HALO;
}

// What stands beside the rows, and where they begin.
void begin_band(Level l)
{
    int t = int(gl_LocalInvocationIndex), a = lowest + t;
    if (t >= ROWS) return;
    band[place_in(t, -1)] = band[place_in(t, l.n.x)] = 0.0;
    uint low = a >= 0 && a < l.n.y ? rows[l.row + uint(a)] : TOO_FAR;
    begins[t] = low == TOO_FAR ? -1 : int(low & ~1u);
}

float pulled_in(Level l, uint at, int j, int x)
{
    uint jy = at + 5u * l.slots;
    precise float t = levels[at + l.slots] + (MADE(jy) * band[place_in(j - 1, x)] +
                                              MADE(jy + l.pitch) * band[place_in(j + 1, x)]);
    return t;
}

void relax_at(Level l, int j, int x, bool top)
{
    int i = place_in(j, x);
    uint at = place_of(l, ivec3(x, lowest + j, 0));
    band[i] = relaxed(l, at, pulled_in(l, at, j, x), band[i], band[i - 1], band[i + 1], top);
}

// Every second cell of the rows of one colour, then the others, 64 cells after the other (relax.glsl).
void relax_band(Level l, int colour, bool top)
{
    int odd = (lowest + 1 + colour) & 1, first_j = 1 + odd, t = int(gl_LocalInvocationIndex);
    int many = (ROWS - first_j) / 2; // rows first_j, first_j + 2, … up to ROWS - 2
    for (int part = 0; part < 4; part++) {
        bool seam = part == 1 || part == 2;
        int each = seam ? (l.n.x + SEAM - 1) / SEAM : (l.n.x + 1) / 2;
        if (seam && l.n.x < SEAM) continue;
        for (int k = t; k < many * each; k += ALL) {
            int row = k / each, j = first_j + 2 * row, n = k - row * each, low = begins[j];
            if (low < 0) continue;
            int x = part == 0 ? 2 * n : part == 1 ? low + SEAM * n + SEAM - 1
                              : part == 2 ? low + SEAM * (n + 1) : 2 * n + 1;
            int from = x - low, in_chunk = from & (SEAM - 1);
            bool first_of = from > 0 && in_chunk == 0, last_of = from > 0 && in_chunk == SEAM - 1;
            if (x >= l.n.x || from < 0 || (part == 0 && first_of) || (part == 3 && last_of)) continue;
            relax_at(l, j, x, top);
        }
        barrier();
    }
}

// ---- Half a cycle -------------------------------------------------------------------------------

float left_at(Level l, int j, int x, bool top)
{
    uint at = place_of(l, ivec3(x, lowest + j, 0));
    int i = place_in(j, x);
    if (x >= l.n.x || !(MADE(at + 3u * l.slots) > 0.0)) return 0.0;
    precise float t = pulled_in(l, at, j, x) + pull_along(l, at, band[i - 1], band[i + 1]);
    precise float r = t - MADE(at + 2u * l.slots) * band[i];
    return top && !(band[i] > 0.0) ? larger(r, 0.0) : r;
}

// As restrict_cell(), of what stands here.
void restrict_here(Level f, Level l, int row, int x, bool top)
{
    precise float sum = 0.0;
    float greatest = 0.0;
    int a = (lowest + HALO) / 2 + row;
    if (a >= l.n.y) return;
    for (int k = 0; k < 2 && 2 * a + k < f.n.y; k++) {
        int j = HALO + 2 * row + k;
        float low = left_at(f, j, 2 * x, top), high = left_at(f, j, 2 * x + 1, top);
        sum = sum + (low + high);
        greatest = max(greatest, max(abs(low), abs(high)));
    }
    uint at = place_of(l, ivec3(x, a, 0));
    levels[at] = 0.0;
    levels[at + l.slots] = sum;
    if (top && greatest > 0.0) atomicMax(left_most, floatBitsToUint(greatest));
}

// Relaxed, left in the other array, and what is left to do asked of the next level; the greatest of
// that, of the finest, goes to a word of the status.
void sink_band(Level f, Level l, bool top, uint left_word)
{
    int t = int(gl_LocalInvocationIndex);
    begin_band(f);
    if (t == 0) left_most = 0u;
    for (int k = t; k < ROWS * f.n.x; k += ALL) {
        int j = k / f.n.x, x = k - j * f.n.x, a = lowest + j;
        band[place_in(j, x)] = a >= 0 && a < f.n.y ? levels[place_of(f, ivec3(x, a, 0))] : 0.0;
    }
    barrier();
    for (int k = 0; k < 4; k++) relax_band(f, k & 1, top);
    for (int k = t; k < TALL * f.n.x; k += ALL) {
        int j = HALO + k / f.n.x, x = k % f.n.x, a = lowest + j;
        if (a < f.n.y) levels[place_of(f, ivec3(x, a, 0)) + twin_of(f)] = band[place_in(j, x)];
    }
    for (int k = t; k < TALL / 2 * l.n.x; k += ALL)
        restrict_here(f, l, k / l.n.x, k % l.n.x, top);
    barrier();
    if (t == 0 && left_most > 0u) atomicMax(status[left_word], left_most);
}

// As correct_cell(), of what the first half left.
float corrected(Level f, Level l, ivec3 c, float part, bool top)
{
    uint at = place_of(f, c), from = place_of(l, c / 2);
    float before = levels[at + twin_of(f)], has = top ? before : MADE(at + 3u * f.slots);
    if (!(has > 0.0)) return 0.0;
    return corrected_to(f, l, c, from, before, part, top);
}

// What the next level says taken, relaxed, and left where the cycle began.
void rise_band(Level f, Level l, float part, bool top)
{
    int t = int(gl_LocalInvocationIndex);
    begin_band(f);
    for (int k = t; k < ROWS * f.n.x; k += ALL) {
        int j = k / f.n.x, x = k - j * f.n.x, a = lowest + j;
        bool there = a >= 0 && a < f.n.y;
        band[place_in(j, x)] = there ? corrected(f, l, ivec3(x, a, 0), part, top) : 0.0;
    }
    barrier();
    for (int k = 0; k < 4; k++) relax_band(f, 1 - (k & 1), top);
    for (int k = t; k < TALL * f.n.x; k += ALL) {
        int j = HALO + k / f.n.x, x = k % f.n.x, a = lowest + j;
        if (a < f.n.y) levels[place_of(f, ivec3(x, a, 0))] = band[place_in(j, x)];
    }
}

// Little enough is left: as it is.
void keep_band(Level f)
{
    for (int k = int(gl_LocalInvocationIndex); k < TALL * f.n.x; k += ALL) {
        int a = lowest + HALO + k / f.n.x;
        uint at = place_of(f, ivec3(k % f.n.x, a, 0));
        if (a < f.n.y) levels[at] = levels[at + twin_of(f)];
    }
}
