#include "runs/support.hpp"

#include "support/paths.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ptp::test {

namespace {

std::string big_endian(std::uint32_t number) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> static_cast<unsigned>(shift));
    }
    return bytes;
}

// Class k is bright in the quarter k % 4, so there is something to learn.
void write_images(const TempFolder& folder, const std::string& prefix, std::uint32_t count) {
    std::string images = big_endian(0x803) + big_endian(count) + big_endian(28) + big_endian(28);
    std::string labels = big_endian(0x801) + big_endian(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t label = i % 4;
        labels += static_cast<char>(label);
        for (std::uint32_t y = 0; y < 28; ++y) {
            for (std::uint32_t x = 0; x < 28; ++x) {
                const bool is_bright = y / 14 == label / 2 && x / 14 == label % 2;
                images += static_cast<char>(is_bright ? 200 + (i * 7 + x) % 50 : (i + y) % 60);
            }
        }
    }
    folder.write(prefix + "-images-idx3-ubyte", images);
    folder.write(prefix + "-labels-idx1-ubyte", labels);
}

std::string task(const std::string& section, const std::string& folder, bool is_training) {
    return "[" + section + ".task]\ntype = \"FashionMNIST\"\nbatch_size = 8\ndata_folder = \"" +
           folder +
           "\"\nresize_image = [2, 2]\nuse_train_data = " + (is_training ? "true" : "false") + "\n";
}

}  // namespace

ExperimentFolder::ExperimentFolder(const Lines& lines) {
    write_images(folder_, "data/train", 48);
    write_images(folder_, "data/t10k", 16);
    write(lines);
}

std::filesystem::path ExperimentFolder::write(const Lines& lines) const {
    const std::string data = (folder_.path() / "data").string();
    std::string text = "name = \"tiny\"\nseed = 7\n[training]\n" +
                       (lines.training.empty() ? "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                                 "terminal_conditions = { epoch_limit = 3 }\n"
                                               : lines.training) +
                       task("training", data, true);
    if (lines.has_validation) {
        text += (lines.validation.empty() ? "" : "[validation]\n" + lines.validation) +
                task("validation", data, false);
    }
    if (lines.has_test) {
        text += task("test", data, false);
    }
    // So that which checkpoints there are does not depend on the time.
    const std::string checkpoint = "[checkpoint]\n";
    const std::string every_epoch = checkpoint + "every_epochs = 1\n";
    std::string pipeline = lines.pipeline;
    const std::size_t own = pipeline.find(checkpoint);
    if (own == std::string::npos) {
        text += every_epoch;
    } else {
        pipeline.replace(own, checkpoint.size(), every_epoch);
    }
    const bool has_features =
        lines.source == "features" || pipeline.find("\"features\"") != std::string::npos;
    text += (has_features ? "[pipeline.reshape]\ntype = \"ReshapeTensor\"\n"
                            "input_dims = [-1, 1, 2, 2]\noutput_dims = [-1, 4]\n"
                            "streams = { outputs = \"features\" }\n"
                          : "") +
            pipeline +
            "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [16]\n"
            "dropout_rate = 0.1\nstreams = { inputs = \"" +
            lines.source +
            "\" }\nglobals = { prediction_size = \"num_classes\" }\n"
            "[pipeline.nll]\ntype = \"NLLLoss\"\n"
            "[pipeline.accuracy]\ntype = \"AccuracyStatistics\"\n";
    return folder_.write("experiment.toml", text);
}

ProcessResult ExperimentFolder::run(const std::string& name,
                                    const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {(path() / "experiment.toml").string(), "--run-dir",
                                          run_folder(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
}

std::string status_in(const std::filesystem::path& run_folder) {
    std::ifstream file(run_folder / "status.json");
    const auto status = nlohmann::json::parse(file);
    const auto text = [&status](const char* key) {
        return status[key].is_null() ? "" : status[key].get<std::string>();
    };
    const std::string code = status["exit_code"].is_null() ? "" : status["exit_code"].dump();
    return text("state") + ": " + text("reason") + " (" + code + ")";
}

std::vector<std::vector<std::int64_t>> samples_seen(const std::string& file,
                                                    const std::string& section) {
    std::vector<std::vector<std::int64_t>> epochs;
    std::string last_epoch;
    for (const std::string& line : lines_of(file)) {
        std::istringstream words(line);
        std::string name;
        std::string epoch;
        words >> name >> epoch;
        if (name != section) {
            continue;
        }
        if (epochs.empty() || epoch != last_epoch) {
            epochs.emplace_back();
            last_epoch = epoch;
        }
        for (std::int64_t index = 0; words >> index;) {
            epochs.back().push_back(index);
        }
    }
    return epochs;
}

std::string last_value(const std::string& table, const std::string& column) {
    const auto cells_of = [](const std::string& line) {
        std::vector<std::string> cells;
        std::istringstream in(line);
        for (std::string cell; std::getline(in, cell, ',');) {
            cells.push_back(cell);
        }
        return cells;
    };
    std::istringstream in(table);
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> names = cells_of(line);
    std::vector<std::string> last;
    while (std::getline(in, line)) {
        last = cells_of(line);
    }
    for (std::size_t i = 0; i < names.size() && i < last.size(); ++i) {
        if (names[i] == column) {
            return last[i];
        }
    }
    return "no column " + column;
}

std::vector<std::string> with_witness(std::vector<std::string> options) {
    options.insert(options.end(), {"--plugins", (build_dir() / "tests/runs/plugins").string()});
    return options;
}

std::string without_folder(std::string text, const std::filesystem::path& folder) {
    const std::string name = folder.string();
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, name.size(), "FOLDER");
    }
    return without_excerpts(text);
}

std::string without_warnings(const std::string& errors, const std::string& text) {
    std::string kept;
    bool is_of_warning = false;
    for (const std::string& line : lines_of(errors)) {
        const bool has_text =
            line.find("warning: ") != std::string::npos && line.find(text) != std::string::npos;
        is_of_warning = has_text || (is_of_warning && line.starts_with("  "));
        kept += is_of_warning ? "" : line + "\n";
    }
    return kept;
}

// Runs a shell command in a mount namespace of its own, with /mnt as a disk. Returns its exit code.
static int run_isolated(const std::string& disk, const std::string& command) {
    const int status =
        std::system(("unshare --user --map-root-user --mount sh -c 'mount -t tmpfs " + disk +
                     " none /mnt && " + command + "'")
                        .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool can_mount() {
    const bool can = run_isolated("", "true") == 0;
    if (!can) {
        MESSAGE("skipped: no tmpfs can be mounted on this machine");
    }
    return can;
}

int run_on_disk(const ExperimentFolder& folder, const std::string& disk, const std::string& script,
                const std::string& more) {
    const std::string path = folder.path().string();
    std::ofstream(folder.path() / "script") << script;
    return run_isolated(disk, "OMP_NUM_THREADS=1 sh " + path + "/script " +
                                  (build_dir() / "bin/ptprun").string() + " " + path + " " + more +
                                  " > " + path + "/said 2>&1");
}

Lines plain(int epochs, const std::string& more) {
    return {.training = "optimizer = { type = \"SGD\", lr = 0.1 }\n" + more +
                        "terminal_conditions = { epoch_limit = " + std::to_string(epochs) +
                        ", early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"};
}

ProcessResult resume_with(const ExperimentFolder& folder, const std::string& name,
                          const std::vector<std::string>& values) {
    std::vector<std::string> arguments = {"resume", folder.run_folder(name)};
    for (const std::string& value : values) {
        arguments.insert(arguments.end(), {"--set", value});
    }
    return run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
}

}  // namespace ptp::test
