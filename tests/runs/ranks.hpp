// What the tests of trainings in several processes share.
#pragma once

#include "runs/support.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::test {

// When a process that does not answer counts as lost. With a sanitizer all takes several times as
// long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr const char* kShortTimeout = "[distributed]\ntimeout = \"15s\"\n";
#else
inline constexpr const char* kShortTimeout = "[distributed]\ntimeout = \"1s\"\n";
#endif

// The plugin of ranked.cpp: "plain" or "objecting".
std::filesystem::path ranked_build(const std::string& build);

// Two epochs of 6 episodes, a checkpoint every 4, with that component before the net, and
// kShortTimeout.
Lines with_ranked(const std::string& settings, const std::string& training = "");

// As options of ptprun: two processes, and where the plugin is.
std::vector<std::string> in_two(std::vector<std::string> options = {});

// The environment of one of two processes of this host that are not watched over.
std::map<std::string, std::string> place_of(int rank, std::uint16_t port);

// The text with HOST, FOLDER and N for what differs from run to run.
std::string comparable(const ExperimentFolder& folder, const std::string& text);

// The bytes of a tensor in a file of safetensors, whose content is given.
std::string tensor_in(const std::string& file, const std::string& name);

}  // namespace ptp::test
