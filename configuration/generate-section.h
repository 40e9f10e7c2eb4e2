// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "workload/workload-model.h"

#include <optional>

namespace nadi
{

/// `workload.generate: {model: NAME, preset: NAME, <parameters>}`. What is given goes before the
/// preset's figures, and those before the model's defaults.
Field MakeGenerateField(std::optional<ComponentChoice>& generate);

/// The codec of its value. Reading throws ConfigError at what is wrong, also where parameters do
/// not fit each other.
Codec<ComponentChoice> MakeModelChoiceCodec();

} // namespace nadi
