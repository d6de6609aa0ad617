// The answers and the types of questions of CLEVR.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// The answers in the order of their bytes; their positions are their numbers.
inline constexpr std::array<std::string_view, 28> kClevrAnswers{
    "0",  "1",      "10",    "2",      "3",     "4",        "5",      "6",     "7",     "8",
    "9",  "blue",   "brown", "cube",   "cyan",  "cylinder", "gray",   "green", "large", "metal",
    "no", "purple", "red",   "rubber", "small", "sphere",   "yellow", "yes"};
static_assert(std::ranges::is_sorted(kClevrAnswers));

inline constexpr std::array<std::string_view, 13> kClevrTypes{
    "query_size",     "equal_size",    "query_shape",   "query_color", "greater_than",
    "equal_material", "equal_color",   "equal_shape",   "less_than",   "count",
    "exist",          "equal_integer", "query_material"};

inline constexpr size_t kClevrFamilies = 90;

// The type of each question_family_index, as in PyTorchPipe.
inline constexpr std::array<int16_t, kClevrFamilies> kClevrTypeOfFamily = [] {
    struct Families {
        int16_t type;
        size_t first;
        size_t last;
    };
    constexpr Families kFamilies[] = {
        {0, 27, 27},  {0, 32, 32},  {0, 55, 55},  {0, 58, 58},  {0, 61, 61},  {0, 74, 74},
        {0, 80, 80},  {0, 89, 89},  {1, 9, 9},    {1, 13, 15},  {2, 28, 28},  {2, 35, 35},
        {2, 54, 54},  {2, 57, 57},  {2, 60, 60},  {2, 77, 77},  {2, 83, 83},  {2, 86, 86},
        {3, 29, 29},  {3, 33, 33},  {3, 52, 52},  {3, 59, 59},  {3, 62, 62},  {3, 75, 75},
        {3, 81, 81},  {3, 88, 88},  {4, 2, 2},    {4, 5, 5},    {4, 8, 8},    {5, 11, 11},
        {5, 19, 21},  {6, 10, 10},  {6, 16, 18},  {7, 12, 12},  {7, 22, 24},  {8, 1, 1},
        {8, 4, 4},    {8, 7, 7},    {9, 25, 25},  {9, 31, 31},  {9, 40, 43},  {9, 48, 51},
        {9, 64, 72},  {9, 78, 78},  {9, 84, 84},  {10, 26, 26}, {10, 36, 39}, {10, 44, 47},
        {10, 73, 73}, {10, 79, 79}, {10, 85, 85}, {11, 0, 0},   {11, 3, 3},   {11, 6, 6},
        {12, 30, 30}, {12, 34, 34}, {12, 53, 53}, {12, 56, 56}, {12, 63, 63}, {12, 76, 76},
        {12, 82, 82}, {12, 87, 87}};
    std::array<int16_t, kClevrFamilies> types{};
    types.fill(-1);
    for (const Families& families : kFamilies) {
        for (size_t family = families.first; family <= families.last; ++family) {
            types[family] = families.type;
        }
    }
    return types;
}();
static_assert(std::ranges::find(kClevrTypeOfFamily, int16_t{-1}) == kClevrTypeOfFamily.end());
