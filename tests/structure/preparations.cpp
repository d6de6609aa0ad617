// Each setting of a task prepares samples (`is_preparation`), which a bundle keeps as in the
// training, or is in this list with the reason why others than the training's may be set there:
//
//     preparations LIST PLUGINS   fails if a setting is in neither, or in both
//
// A line of LIST is `SETTING TASK...: reason`. PLUGINS is the folder of the first-party plugins.

#include "base/text.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace {

using Names = std::set<std::string>;  // "TASK.SETTING"

// Returns the settings of a list, after printing each line that has no reason.
Names listed_settings(const std::string& file, int& wrong) {
    Names listed;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t colon = line.find(": ");
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        if (colon == std::string::npos) {
            fmt::print("{}: has no reason: {}\n", file, line);
            ++wrong;
            continue;
        }
        std::istringstream words(line.substr(0, colon));
        std::string setting;
        words >> setting;
        for (std::string task; words >> task;) {
            listed.insert(task + "." + setting);
        }
    }
    return listed;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print("usage: preparations LIST PLUGINS\n");
        return 2;
    }
    int wrong = 0;
    Names listed = listed_settings(argv[1], wrong);
    std::size_t tasks = 0;
    for (const ptp::plugin::CatalogEntry& entry : ptp::plugin::scan({argv[2]}).plugins) {
        for (const ptp::plugin::Component& component : entry.manifest.components) {
            if (component.kind != ptp::plugin::Kind::kTask) {
                continue;
            }
            ++tasks;
            for (const ptp::plugin::Setting& setting : component.settings) {
                const std::string name = component.name + "." + setting.name;
                const bool is_listed = listed.erase(name) > 0;
                if (is_listed == setting.is_preparation) {
                    fmt::print("{}: {}\n", name,
                               is_listed ? "prepares samples: take it out of the list"
                                         : "declare it with .is_preparation = true if it changes "
                                           "what a sample becomes, or list it with the reason");
                    ++wrong;
                }
            }
        }
    }
    for (const std::string& name : listed) {
        fmt::print("{}: there is no such setting\n", name);
        ++wrong;
    }
    fmt::print("{} tasks, {} to be corrected\n", tasks, wrong);
    return wrong == 0 && tasks > 0 ? 0 : 1;
}
