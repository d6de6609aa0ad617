// OneHot: a row with a single 1 for each number of a class.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <optional>

class OneHot {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "OneHot";
    static constexpr const char* summary = "Makes a class a row of zeros with a single 1";
    static constexpr const char* description =
        "Class 2 of 4 becomes [0, 0, 1, 0]. The number of classes is the setting classes or, "
        "without it, the global num_classes. A number that is not a class is an error.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_INTEGER, "B, n^$num_inputs_dims-1", "Classes, from 0"),
        ptp::output("outputs", PTP_FLOAT, "B, n^$num_inputs_dims-1, $classes|num_classes",
                    "A row for each class")};
    static constexpr std::array globals{ptp::reads("num_classes", "How many classes there are")
                                            .purpose(PTP_PURPOSE_CLASS_COUNT)
                                            .when("!classes")};

    struct Config {
        std::optional<int64_t> classes;
        int64_t num_inputs_dims = 1;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("classes", &Config::classes,
                             {.help = "How many classes there are; if not given, the global "
                                      "num_classes",
                              .range = "[1, inf)"}),
                ptp::setting("num_inputs_dims", &Config::num_inputs_dims,
                             {.help = "Dimensions of the input, the batch's included",
                              .range = "[1, inf)"})};
        }
    };

    OneHot(const Config& config, ptp::Setup& setup)
        : classes_(config.classes ? *config.classes : setup.global<int64_t>("num_classes")) {}

    at::Tensor forward(const at::Tensor& inputs, const ptp::Samples& samples) {
        const at::Tensor classes = inputs.to(at::kLong);
        const at::Tensor wrong = classes.lt(0).logical_or(classes.ge(classes_));
        if (wrong.any().item<bool>()) {
            refuse(classes, wrong, samples);
        }
        std::vector<int64_t> sizes = classes.sizes().vec();
        sizes.push_back(classes_);
        return at::zeros(sizes, inputs.options().dtype(at::kFloat))
            .scatter_(-1, classes.unsqueeze(-1), 1);
    }

private:
    [[noreturn]] void refuse(const at::Tensor& classes, const at::Tensor& wrong,
                             const ptp::Samples& samples) const {
        const auto place = wrong.nonzero()[0][0].item<int64_t>();
        const auto value = classes.masked_select(wrong)[0].item<int64_t>();
        throw ptp::DataError("sample ", samples.indices()[static_cast<std::size_t>(place)],
                             ": class ", value, " is not in [0, ", classes_, ")");
    }

    int64_t classes_;
};

template const ptp_component_info& ptp::component<OneHot>();
