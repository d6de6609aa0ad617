// Normalize: shifts and scales the channels of images.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

class Normalize {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Normalize";
    static constexpr const char* summary = "Makes the channels of images (pixel - mean) / std";
    static constexpr const char* description =
        "by = \"values\" takes mean and std, one for each channel or one for all. by = "
        "\"imagenet\" takes the values of ImageNet's training images, for pixels in [0, 1] and the "
        "channels red, green, blue: mean [0.485, 0.456, 0.406], std [0.229, 0.224, 0.225]; "
        "networks trained by torchvision expect them. by = \"sample\" makes the mean of each "
        "channel of each image 0 and its deviation 1 (divided by the number of pixels, as in the "
        "population); a channel that varies by less than 1e-6 becomes 0.";

    static constexpr const char* kNeeded =
        "is needed, one number for each channel or one for all, where by does not say otherwise";
    static constexpr const char* kChannels = "must be one number, or one for each channel";
    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images"),
        ptp::output("outputs", PTP_FLOAT, "B, channels, height, width", "Normalized images")
            .meaning("values")};
    static constexpr bool is_per_sample = true;
    static constexpr std::array requirements{
        ptp::requirement("$by = 'values' or length($mean) + length($std) = 0",
                         "has its own mean and std: leave these two out, or leave out by"),
        ptp::requirement("length($mean) > 0 or $by != 'values'", kNeeded),
        ptp::requirement("length($std) > 0 or $by != 'values'", kNeeded),
        ptp::requirement("$by != 'imagenet' or channels = 3",
                         "has values for red, green and blue: grey images take by = \"values\", or "
                         "become three channels where they are read"),
        ptp::requirement("length($mean) <= 1 or length($mean) = channels", kChannels),
        ptp::requirement("length($std) <= 1 or length($std) = channels", kChannels)};

    enum class By { kValues, kImagenet, kSample };

    struct Config {
        By by = By::kValues;
        std::vector<double> mean;
        std::vector<double> std;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("by", &Config::by,
                             {.help = "Where mean and deviation come from",
                              .choices = "values|imagenet|sample"}),
                ptp::setting("mean", &Config::mean,
                             {.help = "With by = \"values\": subtracted, one for each channel or "
                                      "one for all",
                              .takes_list_or_one = true}),
                ptp::setting("std", &Config::std,
                             {.help = "With by = \"values\": then divides, one for each channel or "
                                      "one for all",
                              .range = "(0, inf)",
                              .takes_list_or_one = true})};
        }
    };

    Normalize(const Config& config, ptp::Setup& setup) : by_(config.by) {
        check(config);
        const bool is_imagenet = by_ == By::kImagenet;
        mean_ = channels_of(is_imagenet ? std::vector{0.485, 0.456, 0.406} : config.mean);
        std_ = channels_of(is_imagenet ? std::vector{0.229, 0.224, 0.225} : config.std);
        // No pixel from 0 to 1 has such a mean, nor such a deviation.
        may_be_of_bytes_ = by_ == By::kValues &&
                           (mean_.gt(1).any().item<bool>() || std_.gt(kMaxStd).any().item<bool>());
        if (const auto channels = setup.optional_size("channels")) {
            check_channels(*channels);
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        if (by_ == By::kSample) {
            const at::Tensor centred = inputs - inputs.mean({2, 3}, true);
            const at::Tensor deviation = centred.square().mean({2, 3}, true).sqrt();
            return at::where(deviation < kMinDeviation, at::zeros_like(centred),
                             centred / deviation.clamp_min(kMinDeviation));
        }
        check_channels(inputs.size(1));
        refuse_bytes(inputs);
        return (inputs - mean_.to(inputs.options())) / std_.to(inputs.options());
    }

private:
    static void check(const Config& config) {
        const bool has_values = !config.mean.empty() || !config.std.empty();
        if (config.by != By::kValues && has_values) {
            throw ptp::ConfigError("mean and std: only by = \"values\" takes them");
        }
        if (config.by == By::kValues && (config.mean.empty() || config.std.empty())) {
            throw ptp::ConfigError("by = \"values\": mean and std are needed");
        }
        if (config.mean.size() != config.std.size() && config.mean.size() != 1 &&
            config.std.size() != 1) {
            throw ptp::ConfigError("mean has ", config.mean.size(), " values, std has ",
                                   config.std.size(), ": one for each channel or one for all");
        }
    }

    void check_channels(int64_t channels) const {
        const int64_t known = std::max(mean_.size(0), std_.size(0));
        if (by_ != By::kSample && known != 1 && known != channels) {
            throw ptp::ConfigError("the images have ", channels, " channels, mean and std are of ",
                                   known);
        }
    }

    // Refuses a mean and a deviation of pixels from 0 to 255 where the first pixels are from 0 to
    // 1: those of bytes are whole numbers.
    void refuse_bytes(const at::Tensor& inputs) {
        if (inputs.numel() == 0 || !may_be_of_bytes_.exchange(false)) {
            return;
        }
        const auto [lowest, highest] = at::aminmax(inputs);
        const bool is_scaled = lowest.item<double>() >= 0 && highest.item<double>() <= 1 &&
                               inputs.frac().ne(0).any().item<bool>();
        if (is_scaled) {
            throw ptp::ConfigError("the pixels are from ", lowest.item<double>(), " to ",
                                   highest.item<double>(),
                                   ", and mean and std are those of pixels "
                                   "from 0 to 255\nfix: mean = ",
                                   of_shares(mean_), ", std = ", of_shares(std_));
        }
    }

    // Returns the numbers as they are for pixels from 0 to 1, "[0.485]".
    static std::string of_shares(const at::Tensor& numbers) {
        constexpr double kBytes = 255;
        constexpr double kSteps = 1e4;
        const bool is_of_bytes = numbers.gt(1).any().item<bool>();
        const at::Tensor shares =
            is_of_bytes ? at::round(numbers / kBytes * kSteps) / kSteps : numbers;
        std::vector<double> written;
        for (int64_t i = 0; i < shares.numel(); ++i) {
            written.push_back(shares[i].item<double>());
        }
        return ptp::Data(written).toml();
    }

    // Returns [C, 1, 1].
    static at::Tensor channels_of(const std::vector<double>& values) {
        return at::tensor(values, at::kDouble).reshape({-1, 1, 1});
    }

    static constexpr double kMinDeviation = 1e-6;
    static constexpr double kMaxStd = 10;  // far above those of pixels from 0 to 1

    By by_;
    at::Tensor mean_;  // [C, 1, 1]
    at::Tensor std_;
    std::atomic<bool> may_be_of_bytes_ = false;
};

template const ptp_component_info& ptp::component<Normalize>();
