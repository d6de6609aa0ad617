// What is tested of each loss whose targets are classes.
#pragma once

#include "loss_cases.hpp"

namespace test {

// The golden lines `prefix` + "plain", "masked", ... of a loss with these settings.
void check_class_goldens(const std::string& type, const std::string& prefix = "",
                         const std::string& settings = "");

// Targets, masks and weights that do not fit are refused by their full texts.
void check_class_refusals(const std::string& type);

// A target whose class weighs 0 has no effect, even where its scores are not numbers.
void check_class_weight_of_0(const std::string& type);

}  // namespace test
