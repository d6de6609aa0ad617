#include "image_reading.hpp"

#include "fuzz/expect.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"

#include <ptp/error.hpp>

namespace ptp::fuzz {

namespace {

void expect_pixels(const support::Image& image, const support::ImageHead& head) {
    expect(image.height == head.height && image.width == head.width &&
               static_cast<int64_t>(image.pixels.size()) ==
                   image.height * image.width * image.channels * image.value_bytes,
           "an image has the pixels that its head states");
}

}  // namespace

void images(std::string_view input) {
    constexpr int64_t kMaxPixels = 1 << 20;  // more only takes time
    const InputFile file(input);
    support::ImageHead head;
    try {
        head = support::read_image_head(file.path());
    } catch (const ptp::DataError&) {
        return;
    }
    if (head.height * head.width > kMaxPixels) {
        return;
    }
    for (const int64_t channels : {1, 3}) {
        try {
            const support::Image image = support::read_image(file.path(), channels);
            expect_pixels(image, head);
            expect(image.channels == channels, "an image has the channels that were asked for");
            const support::Image stored =
                support::read_reduced_image(file.path(), channels, support::kWholeImage);
            expect_pixels(stored, head);
            expect(stored.channels == channels, "and so it has with 16 bits");
        } catch (const ptp::DataError&) {
        }
    }
    try {
        const support::Image numbers = support::read_numbers(file.path());
        expect_pixels(numbers, head);
        expect(numbers.channels == 1 || numbers.channels == 2, "a number has one or two bytes");
    } catch (const ptp::DataError&) {
    }
}

}  // namespace ptp::fuzz
