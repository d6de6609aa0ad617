#include "engine/data/labels.hpp"

#include "engine/component/frame.hpp"
#include "engine/component/output_check.hpp"
#include "engine/data/batch_source.hpp"
#include "engine/data/pass.hpp"

#include <map>
#include <string>

namespace ptp::engine {

namespace {

// Whole numbers as they are; strings are numbered as they first come.
class LabelList {
public:
    void add(const Slot& slot) {
        if (slot.element == PTP_STRING) {
            for (std::uint64_t i = 0; i < slot.text.string_count; ++i) {
                const std::uint64_t begin = slot.text.offsets[i];
                add(std::string(slot.text.bytes + begin, slot.text.offsets[i + 1] - begin));
            }
            return;
        }
        const at::Tensor numbers = slot.tensor.to(at::kLong).contiguous();
        const std::int64_t* first = numbers.data_ptr<std::int64_t>();
        labels_.insert(labels_.end(), first, first + numbers.numel());
    }

    std::vector<std::int64_t> take() { return std::move(labels_); }

private:
    void add(std::string name) {
        const auto number = static_cast<std::int64_t>(numbers_.size());
        labels_.push_back(numbers_.emplace(std::move(name), number).first->second);
    }

    std::vector<std::int64_t> labels_;
    std::map<std::string, std::int64_t> numbers_;
};

int stream_named(const pipeline::Plan& plan, const std::string& name) {
    int stream = 0;
    while (plan.streams[static_cast<std::size_t>(stream)].name != name) {
        ++stream;
    }
    return stream;
}

}  // namespace

std::vector<std::int64_t> sample_labels(const experiment::Section& section,
                                        const pipeline::Plan& plan, Instance& task,
                                        std::uint64_t seed) {
    if (!section.sampler || !section.sampler->needs_labels()) {
        return {};
    }
    const auto& classes = *section.sampler->get<experiment::Classes>();
    if (classes.labels) {
        return classes.labels->values;
    }
    experiment::Section whole = section;
    whole.sampler.reset();
    whole.dataloader.shuffle = false;
    whole.dataloader.drop_last = false;
    whole.batch_limit.reset();
    const int stream = stream_named(plan, classes.label_stream);
    BatchSource source(whole, plan, task, seed);
    Frame frame(plan);
    OutputCheck check(plan);
    LabelList labels;
    Pass pass(source, 0, false);
    while (pass.next(frame)) {
        check.begin(pass.batch_size(), true);
        check.check(task, frame, at::kCPU);
        labels.add(frame[stream]);
    }
    return labels.take();
}

}  // namespace ptp::engine
