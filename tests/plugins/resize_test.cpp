#include "support.hpp"

namespace resize_test {

namespace {

test::Component make(const std::string& settings) {
    return test::build("transforms", "Resize", settings);
}

}  // namespace

TEST_CASE("Resize: a mask keeps the pixels that its image keeps, at every pair of sizes") {
    for (int64_t old_size = 1; old_size <= 20; ++old_size) {
        const at::Tensor mask = torch::arange(old_size, torch::kLong).view({1, old_size, 1});
        const at::Tensor image = mask.to(torch::kFloat).unsqueeze(1);
        for (int64_t new_size = 1; new_size <= 40; ++new_size) {
            CAPTURE(old_size);
            CAPTURE(new_size);
            const std::string size =
                "mode = \"nearest\"\nsize = [" + std::to_string(new_size) + ", 2]\n";
            CHECK(torch::equal(make(size + "element = \"integer\"").forward(mask),
                               make(size).forward(image).squeeze(1).to(torch::kLong)));
        }
    }
}

}  // namespace resize_test
