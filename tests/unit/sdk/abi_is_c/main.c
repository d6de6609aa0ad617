/* Compares the sizes of all structs between C11, C17, C++17 and C++20. */
#include "layout.h"

#include <stdio.h>

int main(void) {
    const size_t* const others[] = {layout_c17(), layout_cxx17(), layout_cxx20()};
    int differences = 0;
    for (int language = 0; language < 3; ++language) {
        for (int i = 0; i < PTP_TEST_LAYOUT_COUNT; ++i) {
            if (others[language][i] != layout_c11()[i]) {
                printf("struct %d of layout.h: %zu bytes as C11, %zu in language %d\n", i,
                       layout_c11()[i], others[language][i], language);
                ++differences;
            }
        }
    }
    return differences == 0 ? 0 : 1;
}
