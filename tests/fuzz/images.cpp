#include "image_reading.hpp"

#include "fuzz/expect.hpp"
#include "fuzz/input_file.hpp"
#include "fuzz/targets.hpp"

#include <ptp/error.hpp>

namespace ptp::fuzz {

void images(std::string_view input) {
    constexpr int64_t kMaxPixels = 1 << 20;  // more only takes time
    const InputFile file(input);
    for (const int64_t channels : {1, 3}) {
        try {
            const support::ImageHead head = support::read_image_head(file.path());
            if (head.height * head.width > kMaxPixels) {
                return;
            }
            const support::Image image = support::read_image(file.path(), channels);
            expect(image.height == head.height && image.width == head.width &&
                       image.channels == channels &&
                       static_cast<int64_t>(image.pixels.size()) ==
                           image.height * image.width * channels,
                   "an image has the pixels that its head states");
        } catch (const ptp::DataError&) {
        }
    }
}

}  // namespace ptp::fuzz
