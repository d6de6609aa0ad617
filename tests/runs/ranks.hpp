// What the tests of trainings in several processes share.
#pragma once

#include "runs/support.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

// The plugin of ranked.cpp: "plain" or "objecting".
std::filesystem::path ranked_build(const std::string& build);

// Two epochs of 6 episodes, a checkpoint every 4, with that component before the net; a process
// that does not answer counts as lost after a second.
Lines with_ranked(const std::string& settings, const std::string& training = "");

// As options of ptprun: two processes, and where the plugin is.
std::vector<std::string> in_two(std::vector<std::string> options = {});

// The environment of one of two processes of this host that are not watched over.
std::map<std::string, std::string> place_of(int rank, std::uint16_t port);

// The text with HOST, FOLDER and N for what differs from run to run.
std::string comparable(const ExperimentFolder& folder, const std::string& text);

}  // namespace ptp::test
