// A component written with the SDK that gathers the whole batch, with a host that can and an older
// one.

#include <ptp/component.hpp>
#include <ptp/testing.hpp>

#include <ATen/ATen.h>

#include <doctest/doctest.h>

namespace whole_batch_test {

namespace {

class Centered {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Centered";
    static constexpr const char* summary = "For a test: what differs from the mean of the batch";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B", "Numbers"),
                                      ptp::output("outputs", PTP_FLOAT, "B", "Differences")};

    explicit Centered(ptp::Setup& setup) : whole_batch_(setup.whole_batch()) {}

    at::Tensor forward(const at::Tensor& inputs) {
        const auto [all, first] = whole_batch_.gather(inputs);
        return inputs - all.mean() + first;
    }

private:
    ptp::WholeBatch whole_batch_;
};

}  // namespace

TEST_CASE("whole batch: in the kit a component has its own rows") {
    ptp::testing::Component centered(ptp::component<Centered>(), "", {});
    const auto outputs = centered.run({{"inputs", at::tensor({1.0, 2.0, 6.0})}});
    CHECK(outputs.at("outputs").tensor().equal(at::tensor({-2.0, -1.0, 3.0})));
}

TEST_CASE("whole batch: an older host is named in the error") {
    CHECK_THROWS_WITH_AS(
        ptp::testing::Component(ptp::component<Centered>(), "", {.gathers = false}),
        "the samples of all processes cannot be gathered: this ptp is older than "
        "ptp.whole_batch/1, or whole_batch() is called after the constructor",
        ptp::ConfigError);
}

}  // namespace whole_batch_test
