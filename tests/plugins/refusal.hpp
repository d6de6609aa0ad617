// The text with which a component refuses a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace test {

// The message of what the action throws, without the folder's name where paths begin with it;
// "accepted" if it throws nothing.
std::string refusal(const std::filesystem::path& folder, const std::function<void()>& action);

}  // namespace test
