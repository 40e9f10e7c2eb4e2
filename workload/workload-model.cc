// SPDX-License-Identifier: GPL-2.0-only
#include "workload/workload-model.h"

#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"

namespace nadi
{

std::unique_ptr<WorkloadModel>
MakeWorkloadModel(const ModelChoice& choice)
{
    const auto& registry = Registry<WorkloadModel>::Instance();
    const auto* entry = registry.Find(choice.model);
    if (entry == nullptr)
    {
        throw ConfigError("model",
                          "unknown model \"" + choice.model + '"' +
                              SuggestFrom(choice.model, registry.Names()));
    }
    try
    {
        return entry->make(Parameters::Parse(
            entry->parameters, CompleteParameters(entry->parameters, choice.parameters)));
    }
    catch (const UnitError& error)
    {
        throw ConfigError("", error.what());
    }
}

} // namespace nadi
