// Of the cells around one, those beside the cell in a direction from it: how many, where they are,
// and the direction from there to that cell (../../extras.c: around).
const int AROUND[8] = int[8](4, 2, 4, 2, 4, 2, 4, 2);
const int BESIDE[32] = int[32](1, 2, 6, 7, 0, 2, 0, 0, 0, 1, 3, 4, 2, 4, 0, 0,
                               2, 3, 5, 6, 4, 6, 0, 0, 0, 4, 5, 7, 0, 6, 0, 0);
const int TOWARD[32] = int[32](6, 7, 1, 2, 2, 0, 0, 0, 3, 4, 0, 1, 4, 2, 0, 0,
                               5, 6, 2, 3, 6, 4, 0, 0, 5, 7, 0, 4, 6, 0, 0, 0);
