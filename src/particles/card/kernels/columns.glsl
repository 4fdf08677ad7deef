// Form height: depths and fluxes of columns, as rv_splat_columns (../../columns.c) has them, for who makes
// a surface of them there. Where faces and levels of other forms stand are then depths and fluxes by
// slot; `shown`: by cell the slot of its column, GONE: it has none; then, if law.most is 1, what that is
// owed, m. law.boxes_at: how many slots there are.
layout(local_size_x = 64) in;

void main()
{
    uint i = particle_here(), nx = uint(law.cells.x), all = nx * uint(law.cells.y);
    if (i >= all || shown[i] == GONE) return;
    uint y = i / nx, at = slot_of(ivec3(i - y * nx, y, 0)), slots = law.grid.w, slot = shown[i];
    float w = fields[at], owed = law.most == 1u ? uintBitsToFloat(shown[all + i]) : 0.0;
    bool some = w > 0.0;
    precise float deep = (some ? w : 0.0) * law.column_deep + owed;
    precise float u = (some ? fields[slots + at] : 0.0) * law.column_flow;
    precise float v = (some ? fields[2u * slots + at] : 0.0) * law.column_flow;
    faces[slot] = deep;
    levels[slot] = u;
    levels[law.boxes_at + slot] = v;
}
