/* A library of its own that a plugin needs: see accompanied.cpp. */
float number_of_the_library(void);

float number_of_the_library(void) {
    return 0.25F;
}
