// A process that opens libtorch, adds two numbers and ends: nothing that uses it starts sooner.
// Beside it `./dev bench start` measures ptprun.

#include <ATen/ops/ones.h>

#include <cstdio>

int main() {
    const at::Tensor sum = at::ones({2}).sum();
    std::printf("%g\n", sum.item<double>());
    std::fflush(stdout);
    std::quick_exit(0);
}
