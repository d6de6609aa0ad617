// Computes the moments of each output, merges those of two parts, and saves them.

#include "moments.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace measures {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

OutputMoments of_output(const Moments::Numbers& numbers, std::int64_t output) {
    const std::int64_t outputs = numbers.targets.size(1);
    const std::int64_t count = numbers.targets.numel();
    const auto* targets = numbers.targets.data_ptr<double>();
    const auto* predictions = numbers.predictions.data_ptr<double>();
    const bool* counts = numbers.counts.defined() ? numbers.counts.data_ptr<bool>() : nullptr;
    const auto for_each = [&](auto use) {
        for (std::int64_t at = output; at < count; at += outputs) {
            if (counts == nullptr || counts[at]) {
                use(targets[at], predictions[at]);
            }
        }
    };
    OutputMoments result;
    double sum = 0;
    for_each([&](double target, double prediction) {
        const double error = prediction - target;
        result.absolute += std::abs(error);
        result.squared += error * error;
        sum += target;
        const bool is_first = result.samples++ == 0;
        result.lowest = is_first ? target : std::min(result.lowest, target);
        result.highest = is_first ? target : std::max(result.highest, target);
    });
    result.mean = sum / static_cast<double>(std::max<std::int64_t>(result.samples, 1));
    for_each([&](double target, double) {
        const double distance = target - result.mean;
        result.spread += distance * distance;
    });
    return result;
}

// Sets `mine` to the moments of the samples of both.
void merge(OutputMoments& mine, const OutputMoments& theirs) {
    if (mine.samples == 0 || theirs.samples == 0) {
        mine = mine.samples == 0 ? theirs : mine;
        return;
    }
    const auto before = static_cast<double>(mine.samples);
    const auto more = static_cast<double>(theirs.samples);
    mine.samples += theirs.samples;
    const auto both = static_cast<double>(mine.samples);
    const double step = theirs.mean - mine.mean;
    mine.mean += step * more / both;
    mine.spread += theirs.spread + step * step * before * more / both;
    mine.absolute += theirs.absolute;
    mine.squared += theirs.squared;
    mine.lowest = std::min(mine.lowest, theirs.lowest);
    mine.highest = std::max(mine.highest, theirs.highest);
}

double r_squared_of(const OutputMoments& output) {
    if (output.lowest == output.highest) {
        return output.squared == 0 ? 1 : 0;
    }
    return 1 - output.squared / output.spread;
}

}  // namespace

Moments::Moments(const Numbers& numbers) : support_(numbers.support) {
    for (std::int64_t i = 0; support_ > 0 && i < numbers.targets.size(1); ++i) {
        outputs_.push_back(of_output(numbers, i));
    }
}

void Moments::merge(const Moments& other) {
    if (other.support_ == 0) {
        return;
    }
    if (support_ == 0) {
        *this = other;
        return;
    }
    if (outputs_.size() != other.outputs_.size()) {
        throw ptp::DataError("targets has ", other.outputs_.size(),
                             " numbers for each sample, earlier ones of the set had ",
                             outputs_.size());
    }
    support_ += other.support_;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        measures::merge(outputs_[i], other.outputs_[i]);
    }
}

// Returns their number, but 1 instead of 0: a quotient is then nan rather than its negative.
double Moments::numbers() const {
    std::int64_t count = 0;
    for (const OutputMoments& output : outputs_) {
        count += output.samples;
    }
    return static_cast<double>(std::max<std::int64_t>(count, 1));
}

double Moments::mean_absolute_error() const {
    double sum = support_ == 0 ? kNone : 0;
    for (const OutputMoments& output : outputs_) {
        sum += output.absolute;
    }
    return sum / numbers();
}

double Moments::mean_squared_error() const {
    double sum = support_ == 0 ? kNone : 0;
    for (const OutputMoments& output : outputs_) {
        sum += output.squared;
    }
    return sum / numbers();
}

double Moments::r_squared() const {
    double sum = 0;
    std::int64_t count = 0;
    for (const OutputMoments& output : outputs_) {
        if (output.samples >= 2) {
            sum += r_squared_of(output);
            ++count;
        }
    }
    return count == 0 ? kNone : sum / static_cast<double>(count);
}

ptp::Data Moments::save() const {
    ptp::Data::List outputs;
    for (const OutputMoments& o : outputs_) {
        outputs.push_back(ptp::Data::List{o.absolute, o.squared, o.mean, o.spread, o.lowest,
                                          o.highest, o.samples});
    }
    return ptp::Data::List{support_, outputs};
}

Moments Moments::restored(const ptp::Data& saved) {
    Moments result;
    result.support_ = saved.as_list().at(0).as_integer();
    for (const ptp::Data& output : saved.as_list().at(1).as_list()) {
        const ptp::Data::List& numbers = output.as_list();
        // Older checkpoints do not have it: all outputs counted in all samples.
        result.outputs_.push_back(
            {.samples = numbers.size() < 7 ? result.support_ : numbers[6].as_integer(),
             .absolute = numbers.at(0).as_real(),
             .squared = numbers.at(1).as_real(),
             .mean = numbers.at(2).as_real(),
             .spread = numbers.at(3).as_real(),
             .lowest = numbers.at(4).as_real(),
             .highest = numbers.at(5).as_real()});
    }
    return result;
}

}  // namespace measures
