// An event file for TensorBoard, in a folder of the run: `tensorboard --logdir` takes the run or
// all runs.

#pragma once

#include "engine/output/event.hpp"
#include "engine/output/sinks.hpp"
#include "experiment/records.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Steps are episodes. A resumed run continues in the same file.
class TensorBoard : public SinkWithFile {
public:
    // `clock` returns seconds since 1970.
    TensorBoard(const std::filesystem::path& folder, experiment::TensorBoard settings,
                double (*clock)());

    [[nodiscard]] std::string_view name() const override { return "records.tensorboard"; }
    void begin(const RunInfo& facts) override;
    void episode(const EpisodeRow& row) override;
    void set(const SetRow& row) override;
    [[nodiscard]] bool reads(std::string_view stream) const override;
    void look_at(Position at, const Frame& frame) override;
    void learned(Position at, const Components& components) override;
    [[nodiscard]] bool takes_pictures() const override { return true; }
    void picture(const Picture& picture) override;
    [[nodiscard]] Value save() const override;
    void restore(const Value& saved) override;

private:
    struct Images {
        std::string stream;
        int slot = -1;
    };

    void open(const RunInfo& facts);
    void add(const std::string& event);
    void add(std::uint64_t step, const Summary& summary);

    experiment::TensorBoard settings_;
    double (*clock_)();
    const std::vector<Column>* columns_ = nullptr;
    std::vector<Images> images_;
    std::uint64_t next_image_epoch_ = 0;  // images of earlier epochs have been recorded
    bool are_gradients_due_ = false;      // an episode that was due had no step of the optimizer
};

// Makes the sink of the run with this folder.
std::unique_ptr<Sink> make_sink(const experiment::TensorBoard& options,
                                const std::filesystem::path& run_folder);

}  // namespace ptp::engine
