#include "moments.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace measures {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

OutputMoments of_output(const double* targets, const double* predictions, std::int64_t samples,
                        std::int64_t step) {
    OutputMoments result;
    double sum = 0;
    result.lowest = result.highest = targets[0];
    for (std::int64_t i = 0; i < samples; ++i) {
        const double error = predictions[i * step] - targets[i * step];
        result.absolute += std::abs(error);
        result.squared += error * error;
        sum += targets[i * step];
        result.lowest = std::min(result.lowest, targets[i * step]);
        result.highest = std::max(result.highest, targets[i * step]);
    }
    result.mean = sum / static_cast<double>(samples);
    for (std::int64_t i = 0; i < samples; ++i) {
        const double distance = targets[i * step] - result.mean;
        result.spread += distance * distance;
    }
    return result;
}

double r_squared_of(const OutputMoments& output) {
    if (output.lowest == output.highest) {
        return output.squared == 0 ? 1 : 0;
    }
    return 1 - output.squared / output.spread;
}

}  // namespace

Moments::Moments(const at::Tensor& targets, const at::Tensor& predictions)
    : samples_(targets.size(0)) {
    const std::int64_t outputs = targets.size(1);
    for (std::int64_t i = 0; samples_ > 0 && i < outputs; ++i) {
        outputs_.push_back(of_output(targets.data_ptr<double>() + i,
                                     predictions.data_ptr<double>() + i, samples_, outputs));
    }
}

void Moments::merge(const Moments& other) {
    if (other.samples_ == 0) {
        return;
    }
    if (samples_ == 0) {
        *this = other;
        return;
    }
    if (outputs_.size() != other.outputs_.size()) {
        throw ptp::DataError("targets has ", other.outputs_.size(),
                             " numbers for each sample, earlier ones of the set had ",
                             outputs_.size());
    }
    const auto before = static_cast<double>(samples_);
    const auto more = static_cast<double>(other.samples_);
    samples_ += other.samples_;
    const auto both = static_cast<double>(samples_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        OutputMoments& mine = outputs_[i];
        const OutputMoments& theirs = other.outputs_[i];
        const double step = theirs.mean - mine.mean;
        mine.mean += step * more / both;
        mine.spread += theirs.spread + step * step * before * more / both;
        mine.absolute += theirs.absolute;
        mine.squared += theirs.squared;
        mine.lowest = std::min(mine.lowest, theirs.lowest);
        mine.highest = std::max(mine.highest, theirs.highest);
    }
}

// How many there are, but 1 instead of 0: what is divided is nan then, and not its negative.
double Moments::numbers() const {
    return std::max(1.0, static_cast<double>(samples_) * static_cast<double>(outputs_.size()));
}

double Moments::mean_absolute_error() const {
    double sum = samples_ == 0 ? kNone : 0;
    for (const OutputMoments& output : outputs_) {
        sum += output.absolute;
    }
    return sum / numbers();
}

double Moments::mean_squared_error() const {
    double sum = samples_ == 0 ? kNone : 0;
    for (const OutputMoments& output : outputs_) {
        sum += output.squared;
    }
    return sum / numbers();
}

double Moments::r_squared() const {
    if (samples_ < 2) {
        return kNone;
    }
    double sum = 0;
    for (const OutputMoments& output : outputs_) {
        sum += r_squared_of(output);
    }
    return sum / static_cast<double>(outputs_.size());
}

ptp::Data Moments::save() const {
    ptp::Data::List outputs;
    for (const OutputMoments& o : outputs_) {
        outputs.push_back(
            ptp::Data::List{o.absolute, o.squared, o.mean, o.spread, o.lowest, o.highest});
    }
    return ptp::Data::List{samples_, outputs};
}

Moments Moments::restored(const ptp::Data& saved) {
    Moments result;
    result.samples_ = saved.as_list().at(0).as_integer();
    for (const ptp::Data& output : saved.as_list().at(1).as_list()) {
        const ptp::Data::List& numbers = output.as_list();
        result.outputs_.push_back({.absolute = numbers.at(0).as_real(),
                                   .squared = numbers.at(1).as_real(),
                                   .mean = numbers.at(2).as_real(),
                                   .spread = numbers.at(3).as_real(),
                                   .lowest = numbers.at(4).as_real(),
                                   .highest = numbers.at(5).as_real()});
    }
    return result;
}

}  // namespace measures
