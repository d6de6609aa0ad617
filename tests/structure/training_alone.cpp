// Takes of the engine's library what a training needs: the linker adds no other file of it.

#include "engine/entry/run.hpp"

namespace {

[[gnu::used]] const auto kTraining = &ptp::engine::run;

}  // namespace
