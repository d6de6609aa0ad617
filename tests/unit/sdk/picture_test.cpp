// Components written with the SDK that show pictures, to a host that takes them and to an older
// one.

#include <ptp/component.hpp>
#include <ptp/testing.hpp>

#include <ATen/ATen.h>

#include <doctest/doctest.h>

#include <vector>

namespace picture_test {

namespace {

// Shows a picture, with as many bytes as it is told.
class Showing {
public:
    static constexpr ptp_kind kind = PTP_VIEWER;
    static constexpr const char* name = "Showing";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B", "Numbers")};

    struct Config {
        int64_t bytes = 6;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("bytes", &Config::bytes, {})};
        }
    };

    Showing(const Config& config, ptp::Setup& setup) : config_(config), setup_(setup) {}

    void forward(const at::Tensor&) {
        std::vector<uint8_t> pixels(static_cast<size_t>(config_.bytes), 7);
        setup_.show({.height = 2, .width = 1, .channels = 3, .pixels = pixels});
        setup_.show({.height = 2, .width = 3, .channels = 1, .pixels = pixels, .tag = "in grey"});
    }

private:
    Config config_;
    ptp::Setup& setup_;
};

ptp::testing::Slots numbers() {
    ptp::testing::Slots inputs;
    inputs["inputs"] = at::ones({2});
    return inputs;
}

}  // namespace

TEST_CASE("picture: what a component shows comes to the host, with its tag") {
    ptp::testing::Component showing(ptp::component<Showing>(), "", {});
    showing.run(numbers());
    REQUIRE(showing.pictures().size() == 2);
    const ptp::testing::ShownPicture& first = showing.pictures()[0];
    CHECK(first.tag == "");
    CHECK(first.height == 2);
    CHECK(first.width == 1);
    CHECK(first.channels == 3);
    CHECK(first.pixels == std::vector<uint8_t>(6, 7));
    CHECK(showing.pictures()[1].tag == "in grey");
    CHECK(showing.pictures()[1].width == 3);
    CHECK(showing.pictures()[1].channels == 1);
}

TEST_CASE("picture: it has a byte for each channel of each pixel") {
    ptp::testing::Component showing(ptp::component<Showing>(), "bytes = 5", {});
    CHECK_THROWS_WITH(showing.run(numbers()),
                      "a picture of 2 x 1 pixels with 3 channels has 6 bytes, not 5");
    CHECK(showing.pictures().empty());
}

TEST_CASE("picture: with a host that is older a component shows to nobody, and continues") {
    ptp::testing::Component showing(ptp::component<Showing>(), "", {.takes_pictures = false});
    showing.run(numbers());
    CHECK(showing.pictures().empty());
}

}  // namespace picture_test
