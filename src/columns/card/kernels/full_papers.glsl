// What the papers' passages share (../../passages/unified.c, axis.c): pushes, drags, and what a pipe
// carries. Needs full_pipes.

// rv_passage_push.
double passage_push(double opening)
{
#ifdef FLOW
    precise double push = LAW_PUSH * LAW_REACH * opening;
#else
    precise double push = LAW_PUSH * LAW_REACH * LAW_DX;
#endif
    return push;
}

// rv_passage_drag.
double passage_drag(double opening, double gate_depth)
{
#ifdef FLOW
    double height = opening;
#else
    double height = gate_depth;
#endif
    precise double square = height * height;
    precise double share = square / (square + LAW_DRAG + 1e-300lf);
    return share;
}

