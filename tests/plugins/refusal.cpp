#include "refusal.hpp"

#include <exception>

namespace test {

std::string refusal(const std::filesystem::path& folder, const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& error) {
        std::string message = error.what();
        const std::string prefix = folder.string() + "/";
        for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
            message.erase(at, prefix.size());
        }
        return message;
    }
    return "accepted";
}

}  // namespace test
