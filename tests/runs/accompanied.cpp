// A transform that adds a number of a library and one of a file, which lie beside the plugin; with
// ACCOMPANIED_LATER its next version, which adds 8 more. Built without libtorch.

#include <ptp/plugin.hpp>

#include <fstream>
#include <vector>

extern "C" float number_of_the_library(void);

#ifdef ACCOMPANIED_LATER
#define ACCOMPANIED_VERSION "2.0.0"
#else
#define ACCOMPANIED_VERSION "1.0.0"
#endif

namespace {

class Accompanied {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Accompanied";
    static constexpr const char* summary = "Adds a number of a library and one of a file";
    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, features", "Any numbers"),
        ptp::output("outputs", PTP_FLOAT, "B, features", "The numbers and what is added")};

    explicit Accompanied(ptp::Setup& setup) : added_(number_of_the_library()) {
        float number = 0;
        std::ifstream(setup.data_folder() / "number.txt") >> number;
        added_ += number;
#ifdef ACCOMPANIED_LATER
        added_ += 8;
#endif
    }

    ptp::TensorData forward(const ptp::TensorView& inputs) {
        auto outputs =
            ptp::TensorData::zeros<float>({inputs.shape().begin(), inputs.shape().end()});
        const std::vector<float> numbers = inputs.copy<float>();
        for (size_t i = 0; i < numbers.size(); ++i) {
            outputs.elements<float>()[i] = numbers[i] + added_;
        }
        return outputs;
    }

private:
    float added_;
};

}  // namespace

PTP_PLUGIN("accompanied", ACCOMPANIED_VERSION, Accompanied);
