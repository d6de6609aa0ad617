// Chooses the names of classes: those that the experiment requests, or the task's if their number
// is right.

#include "class_names.hpp"

namespace ptp::support {

namespace {

std::optional<WordMappings> read(const Setup& setup, const char* global) {
    const auto mappings = setup.optional_global<Data>(global);
    return mappings ? std::optional<WordMappings>(std::in_place, global, *mappings) : std::nullopt;
}

}  // namespace

ClassNames::ClassNames(const Setup& setup) : named_(read(setup, kNamedClasses.name)) {
    if (!named_) {
        of_task_ = read(setup, kClassesOfTask.name);
    }
}

const WordMappings* ClassNames::names_for(std::optional<std::int64_t> classes) const {
    if (named_) {
        return &*named_;
    }
    return of_task_ && (!classes || *classes == of_task_->size()) ? &*of_task_ : nullptr;
}

std::string ClassNames::of(std::int64_t number, std::optional<std::int64_t> classes) const {
    const WordMappings* names = names_for(classes);
    const std::string* word = names == nullptr ? nullptr : names->word_of(number);
    return word == nullptr ? std::to_string(number) : *word;
}

bool ClassNames::has_names(std::optional<std::int64_t> classes) const {
    return names_for(classes) != nullptr;
}

std::optional<std::int64_t> ClassNames::named_size() const {
    return named_ ? std::optional(named_->size()) : std::nullopt;
}

}  // namespace ptp::support
