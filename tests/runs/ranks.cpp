#include "runs/ranks.hpp"

#include "support/paths.hpp"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <regex>

namespace ptp::test {

std::filesystem::path ranked_build(const std::string& build) {
    return build_dir() / "tests" / "runs" / "builds" / ("ranked_" + build) /
           ("ranked_" + build + ".so");
}

Lines with_ranked(const std::string& settings, const std::string& training) {
    return {.training =
                "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                "terminal_conditions = { epoch_limit = 2 }\n" +
                training,
            .pipeline = std::string("[checkpoint]\nevery_episodes = 4\n") + kShortTimeout +
                        "[pipeline.ranked]\ntype = \"Ranked\"\n" + settings +
                        "\nstreams = { inputs = \"features\", outputs = \"passed\" }\n",
            .source = "passed",
            .has_test = false};
}

std::vector<std::string> in_two(std::vector<std::string> options) {
    options.insert(options.end(),
                   {"--nproc", "2", "--plugins", ranked_build("plain").parent_path().string()});
    return options;
}

std::map<std::string, std::string> place_of(int rank, std::uint16_t port) {
    return {{"RANK", std::to_string(rank)},
            {"WORLD_SIZE", "2"},
            {"MASTER_ADDR", "127.0.0.1"},
            {"MASTER_PORT", std::to_string(port)}};
}

std::string comparable(const ExperimentFolder& folder, const std::string& text) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    std::string same = without_folder(text, folder.path());
    same = std::regex_replace(same, std::regex("process [0-9]+"), "process N");
    same = std::regex_replace(same, std::regex("number [0-9]+"), "number N");
    const std::string on_host = std::string(" on ") + host.data();
    for (std::size_t at = 0; (at = same.find(on_host, at)) != std::string::npos;) {
        same.replace(at, on_host.size(), " on HOST");
    }
    return same;
}

std::string tensor_in(const std::string& file, const std::string& name) {
    constexpr std::size_t kLengthBytes = 8;
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), kLengthBytes);
    const auto header = nlohmann::json::parse(file.substr(kLengthBytes, length));
    const auto& offsets = header.at(name).at("data_offsets");
    const std::size_t first = offsets[0].get<std::size_t>();
    return file.substr(kLengthBytes + length + first, offsets[1].get<std::size_t>() - first);
}

}  // namespace ptp::test
