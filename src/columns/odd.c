// The lists of odd pipes: the columns that have some, what each of them sees of its pipes, and
// which blocks of rows they join.
#include "columns/joints.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static rv_side side_of_end(const rv_odd_pipe *p, bool is_a)
{
    if (p->b == RV_NO_SLOT) return (rv_side)p->side;
    return rv_side_of((rv_way)p->way, is_a);
}

int rv_pipes_ends(const rv_odd_pipe *p, uint32_t index, rv_pipe_slot out[2])
{
    out[0] = (rv_pipe_slot){p->a, p->b, index, (uint8_t)side_of_end(p, true), 1};
    if (p->b == RV_NO_SLOT) return 1;
    out[1] = (rv_pipe_slot){p->b, p->a, index, (uint8_t)side_of_end(p, false), -1};
    return 2;
}

static int compare_ends(const void *pa, const void *pb)
{
    const rv_pipe_slot *a = pa, *b = pb;
    if (a->slot != b->slot) return a->slot < b->slot ? -1 : 1;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    return a->other < b->other ? -1 : a->other > b->other; // planes ascend with slots
}

void rv_pipes_sort_ends(rv_pipe_slot *ends, uint32_t count)
{
    if (count > 1) qsort(ends, count, sizeof *ends, compare_ends);
}

static uint32_t row_of(const rv_engine *s, uint32_t slot, int *x)
{
    uint32_t r = rv_pipes_row_of(s, slot);
    *x = (int)(slot - s->row[r].first);
    return r;
}

void rv_pipes_append_column(rv_engine *s, const rv_pipe_slot *ends, uint32_t n)
{
    int x;
    uint32_t row = row_of(s, ends[0].slot, &x);
    rv_odd_column column = {.slot = ends[0].slot,
                            .first = s->odd_of_count,
                            .count = (uint16_t)n,
                            .row = row,
                            .block = (uint8_t)(x / s->block_width)};
    for (uint32_t i = 0; i < n; i++) {
        const rv_odd_pipe *p = &s->odd[ends[i].pipe];
        if (p->b == RV_NO_SLOT && rv_pipes_border(s, (rv_side)p->side) == RV_BORDER_LEVEL)
            column.at_level = 1;
        s->odd_of[s->odd_of_count++] = (rv_odd_entry){ends[i].pipe, ends[i].side, ends[i].sign};
    }
    if (s->row[row].odd_count++ == 0) s->row[row].odd_first = s->odd_column_count;
    s->odd_column[s->odd_column_count++] = column;
    s->odd_at[column.slot] = s->odd_column_count;
}

static rv_result list_columns(rv_engine *s)
{
    uint32_t most = 2 * s->odd_count, n = 0;
    rv_pipe_slot *ends = rv_new(&s->allocator, most, sizeof *ends);
    if (!ends) return RV_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < s->odd_count; i++)
        n += (uint32_t)rv_pipes_ends(&s->odd[i], i, ends + n);
    rv_pipes_sort_ends(ends, n);
    uint32_t columns = 0;
    for (uint32_t i = 0; i < n; i++) columns += i == 0 || ends[i].slot != ends[i - 1].slot;
    s->odd_of = rv_new(&s->allocator, n, sizeof *s->odd_of);
    s->odd_column = rv_new(&s->allocator, columns, sizeof *s->odd_column);
    s->odd_depth = rv_new(&s->allocator, columns, sizeof(float));
    bool got = s->odd_of && s->odd_column && s->odd_depth;
    s->odd_of_capacity = s->odd_of ? n : 0, s->odd_column_capacity = s->odd_column ? columns : 0;
    s->odd_depth_capacity = s->odd_depth ? columns : 0;
    for (uint32_t i = 0, end; got && i < n; i = end) {
        for (end = i + 1; end < n && ends[end].slot == ends[i].slot;) end++;
        rv_pipes_append_column(s, ends + i, end - i);
    }
    rv_free(&s->allocator, ends, most, sizeof *ends);
    return got ? RV_OK : RV_OUT_OF_MEMORY;
}

int rv_pipes_compare_links(const void *a, const void *b)
{
    return memcmp(a, b, offsetof(rv_block_link, used));
}

rv_block_link rv_pipes_link(const rv_engine *s, const rv_odd_pipe *p)
{
    rv_block_link l;
    int xa, xb;
    memset(&l, 0, sizeof l); // padding compares equal
    l.row_a = row_of(s, p->a, &xa), l.row_b = row_of(s, p->b, &xb);
    l.block_a = (uint8_t)(xa / s->block_width), l.block_b = (uint8_t)(xb / s->block_width);
    return l;
}

uint32_t rv_pipes_sort_links(rv_block_link *links, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 1) qsort(links, count, sizeof *links, rv_pipes_compare_links);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || rv_pipes_compare_links(&links[i], &links[i - 1]) != 0)
            links[kept++] = links[i];
    return kept;
}

static rv_result list_links(rv_engine *s)
{
    s->link = rv_new(&s->allocator, s->odd_count, sizeof *s->link);
    if (!s->link) return RV_OUT_OF_MEMORY;
    s->link_capacity = s->odd_count;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->odd_count; i++)
        if (s->odd[i].b != RV_NO_SLOT) s->link[n++] = rv_pipes_link(s, &s->odd[i]);
    s->link_count = rv_pipes_sort_links(s->link, n);
    return RV_OK;
}

void rv_pipes_tidy_links(rv_engine *s)
{
    uint32_t kept = 0;
    if (!s->links_stale) return;
    for (uint32_t i = 0; i < s->odd_count; i++) {
        if (s->odd[i].b == RV_NO_SLOT) continue;
        rv_block_link l = rv_pipes_link(s, &s->odd[i]);
        rv_block_link *found =
            bsearch(&l, s->link, s->link_count, sizeof l, rv_pipes_compare_links);
        if (found) found->used = 1;
    }
    for (uint32_t i = 0; i < s->link_count; i++) {
        if (!s->link[i].used) continue;
        s->link[kept] = s->link[i];
        s->link[kept++].used = 0;
    }
    s->link_count = kept, s->links_stale = false;
}

void rv_pipes_index_rows(rv_engine *s)
{
    int ny = s->columns->grid.ny;
    uint32_t i = 0;
    for (int y = 0; y <= ny; y++) {
        while (i < s->odd_count && s->odd[i].y < y) i++;
        s->odd_row[y] = i;
    }
}

rv_result rv_pipes_list_odd(rv_engine *s)
{
    rv_result result = list_columns(s);
    return result == RV_OK ? list_links(s) : result;
}
