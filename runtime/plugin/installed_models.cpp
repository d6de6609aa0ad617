// Finds installed models by their names.

#include "plugin/installed_models.hpp"

#include "base/text.hpp"
#include "plugin/search_path.hpp"

#include <string>
#include <system_error>

namespace ptp::plugin {

namespace fs = std::filesystem;

fs::path models_folder(const fs::path& plugins) {
    return plugins.empty() ? fs::path() : plugins.parent_path() / "models";
}

std::optional<fs::path> installed_model(std::string_view word, const fs::path& executable) {
    if (!is_snake_case(word)) {
        return std::nullopt;
    }
    for (const fs::path& plugins : {user_folder(), system_folder(executable)}) {
        const fs::path folder = models_folder(plugins);
        fs::path file = folder / (std::string(word) + kModelEnding);
        std::error_code ignored;  // what cannot be looked at is not installed
        if (!folder.empty() && fs::is_regular_file(file, ignored)) {
            return file;
        }
    }
    return std::nullopt;
}

}  // namespace ptp::plugin
