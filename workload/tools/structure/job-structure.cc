// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/job-structure.h"

#include "system/collective-type.h"

namespace nadi
{

std::string_view
ToText(GroupRole role)
{
    switch (role)
    {
    case GroupRole::Tensor:
        return "tensor";
    case GroupRole::Expert:
        return "expert";
    case GroupRole::Data:
        return "data";
    case GroupRole::ExpertData:
        return "expert-data";
    case GroupRole::Context:
        return "context";
    case GroupRole::Pipeline:
        return "pipeline";
    case GroupRole::Embedding:
        return "embedding";
    case GroupRole::Other:
        break;
    }
    return "other";
}

bool
OnlySums(const GroupUse& use)
{
    return use.calls.size() == 1 && use.calls.begin()->first == ToText(CollectiveType::AllReduce);
}

std::string_view
ToText(StructureEvidence evidence)
{
    switch (evidence)
    {
    case StructureEvidence::Scopes:
        return "scopes";
    case StructureEvidence::Repetition:
        return "repetition";
    case StructureEvidence::Hint:
        return "hint";
    case StructureEvidence::None:
        break;
    }
    return "none";
}

} // namespace nadi
