// Checks that each further stream of an augmentation has an output, and reads ranges.

#include "same_draw.hpp"

void check_output_counts(const char* streams_setting, const std::vector<std::string>& streams,
                         const char* outputs_setting, const std::vector<std::string>& outputs) {
    if (streams.size() != outputs.size()) {
        throw ptp::SettingError(outputs_setting, "must name ", streams.size(),
                                " streams, one for each of ", streams_setting, ", not ",
                                outputs.size());
    }
}

void check_output_counts(const AugmentationConfig& config) {
    check_output_counts("more_streams", config.more_streams, "more_outputs", config.more_outputs);
}

void check_output_counts(const MovingConfig& config) {
    check_output_counts("more_streams", config.more_streams, "more_outputs", config.more_outputs);
    check_output_counts("mask_streams", config.mask_streams, "mask_outputs", config.mask_outputs);
}

ImageSize image_size(const at::Tensor& batch) {
    return {batch.size(2), batch.size(3)};
}

std::vector<at::Tensor> unchanged(const ptp::List<at::Tensor>& batches) {
    std::vector<at::Tensor> same;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        same.push_back(batches[i]);
    }
    return same;
}

std::array<double, 2> range_of(const char* setting, const std::vector<double>& given,
                               double middle) {
    if (given.size() == 1 && given[0] >= 0) {
        return {middle - given[0], middle + given[0]};
    }
    if (given.size() == 1 || given[0] > given[1]) {
        throw ptp::SettingError(setting,
                                "must be one number of at least 0, or two, the smaller one first");
    }
    return {given[0], given[1]};
}
