// Moves the pixels of images in one pass, without a tensor of places.
#pragma once

#include <cstdint>

// Maps a place in the new image to one in the old, both in pixels from the center: x' = x[0] x +
// x[1] y + x[2], y' likewise.
struct PlaceMap {
    double x[3];
    double y[3];
};

// The shape of an image, stored channel by channel and row by row.
struct PlaneShape {
    int64_t channels = 1;
    int64_t height = 0;
    int64_t width = 0;
};

// Interpolates between the four pixels around a place; those outside are `fill`.
void move_bilinear(const float* from, const PlaneShape& shape, const PlaceMap& map, float fill,
                   float* to);

// Copies the nearest pixel, with ties to the even number; pixels outside are `fill`.
void move_nearest(const float* from, const PlaneShape& shape, const PlaceMap& map, float fill,
                  float* to);
void move_nearest(const int64_t* from, const PlaneShape& shape, const PlaceMap& map, int64_t fill,
                  int64_t* to);
