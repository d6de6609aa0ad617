/* A library that is there when a plugin is linked, and not when it is loaded. */
int function_of_a_missing_library(void);
int function_of_a_missing_library(void) {
    return 0;
}
