// The settings of tasks with a folder for each class.
#pragma once

#include "class_warnings.hpp"

#include <ptp/settings.hpp>
#include <ptp/setup.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ptp::support {

struct ClassFoldersConfig {
    std::filesystem::path data_folder;
    std::optional<std::vector<std::filesystem::path>> files;
    std::vector<std::string> classes;
    bool incomplete = false;

    // The texts that differ between tasks.
    struct Texts {
        const char* obtain;        // how to get the folder
        const char* files;         // kind of its files without classes
        const char* obtain_files;  // how to get these
    };

    static constexpr auto settings(const Texts& texts) {
        return std::tuple{
            setting("data_folder", &ClassFoldersConfig::data_folder,
                    {.help = "Folder with the folders of the classes",
                     .is_required = true,
                     .obtain = texts.obtain,
                     .purpose = PTP_PURPOSE_DATA_FOLDER}),
            setting("files", &ClassFoldersConfig::files,
                    {.help = texts.files,
                     .length = "[1, inf)",
                     .takes_list_or_one = true,
                     .takes_unlabeled = true,
                     .obtain = texts.obtain_files}),
            setting(
                "classes", &ClassFoldersConfig::classes,
                {.help = "Folders to take, in the order of their numbers; if empty, all, in the "
                         "order of their names",
                 .purpose = PTP_PURPOSE_CLASS_NAMES}),
            setting("incomplete", &ClassFoldersConfig::incomplete,
                    {.help = "Whether `classes` may lack a folder, or files in it, as `ptprun "
                             "predict` sets it",
                     .purpose = PTP_PURPOSE_MISSING_CLASSES})};
    }
};

// Warns of classes, found in the training's folder, that are probably one.
inline void warn_of_alike_classes(const ClassFoldersConfig& config,
                                  const std::vector<std::string>& classes, const Setup& setup) {
    const bool is_training = setup.section().empty() || setup.section() == "training";
    if (is_training && config.classes.empty()) {
        for (const std::string& warning : warnings_of_folders(classes)) {
            setup.log_warning(warning);
        }
    }
}

// Warns of classes without a file in the training, which `incomplete` permits, unless a checkpoint
// has been trained with them.
inline void warn_of_absent_classes(const ClassFoldersConfig& config,
                                   const std::vector<std::string>& classes,
                                   const std::vector<std::int64_t>& targets, const Setup& setup) {
    const bool is_training = setup.section().empty() || setup.section() == "training";
    if (!is_training || !config.incomplete || setup.saved_global("label_word_mappings")) {
        return;
    }
    const std::set<std::int64_t> present(targets.begin(), targets.end());
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (!present.contains(static_cast<std::int64_t>(i))) {
            setup.log_warning(detail::join(
                "`classes` lists '", classes[i], "', but ", config.data_folder,
                " has no file of it: it cannot be learned; add files, or remove it from the list"));
        }
    }
}

}  // namespace ptp::support
