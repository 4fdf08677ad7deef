// Small letters for legends: 5 × 7 dots with descenders, drawn into a picture.
#ifndef RENDER_LETTERS_H
#define RENDER_LETTERS_H

#include <stdint.h>

#define RV_LETTER_ADVANCE 6 // dots from a letter to the next
#define RV_LETTER_HEIGHT 9  // dots, descenders included

typedef struct rv_canvas {
    uint8_t *rgb; // rows from the top
    int width, height;
} rv_canvas;

typedef struct rv_colour {
    uint8_t r, g, b;
} rv_colour;

// What lies outside the canvas is left out.
void rv_canvas_fill(rv_canvas *canvas, int x, int y, int width, int height, rv_colour colour);
// The upper left corner of the first letter is at (x, y); each dot is a square of `size` pixels.
// Letters that there are none of are drawn as a space.
void rv_canvas_write(rv_canvas *canvas, int x, int y, int size, rv_colour colour, const char *text);

#endif
