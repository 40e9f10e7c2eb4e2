// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/dependency-choice.h"

#include <array>

namespace nadi
{

namespace
{

DependencyChoice
ChooseAutomatically(const ExecutionGraphBuilder& builder, const TraceMetadata& metadata)
{
    // Without control dependencies there is nothing to choose, and nothing to tell the user.
    const uint64_t controls = builder.DependencyCount(DependencyKind::Control);
    if (controls == 0)
    {
        return {};
    }
    const uint64_t dangling = builder.CountDangling(DependencyKind::Control);
    if (dangling > 0)
    {
        return {.kinds = DependencyKinds::Data,
                .ignored = dangling,
                .reason = "control dependencies point to nodes that are not in the file: ignored, "
                          "data dependencies only"};
    }
    if (!builder.IsAcyclic(DependencyKinds::Both))
    {
        return {.kinds = DependencyKinds::Data,
                .ignored = controls,
                .reason = "control dependencies form cycles with the data dependencies: ignored, "
                          "data dependencies only"};
    }
    // Asked last: the reasons above also hold for other writers, and say more to the user.
    if (metadata.IsPyTorch())
    {
        return {.kinds = DependencyKinds::Data,
                .ignored = controls,
                .reason = "control dependencies of a PyTorch trace say who called whom: ignored, "
                          "data dependencies only"};
    }
    return {};
}

} // namespace

std::string_view
ToText(DependencyPolicy policy)
{
    static constexpr std::array<std::string_view, 4> NAMES{"auto", "data", "control", "both"};
    return NAMES[static_cast<size_t>(policy)];
}

std::optional<DependencyPolicy>
FindDependencyPolicy(std::string_view text)
{
    for (const DependencyPolicy policy : AllDependencyPolicies())
    {
        if (ToText(policy) == text)
        {
            return policy;
        }
    }
    return std::nullopt;
}

const std::vector<DependencyPolicy>&
AllDependencyPolicies()
{
    static const std::vector<DependencyPolicy> all{DependencyPolicy::Auto,
                                                   DependencyPolicy::Data,
                                                   DependencyPolicy::Control,
                                                   DependencyPolicy::Both};
    return all;
}

bool
TraceMetadata::IsPyTorch() const
{
    return !hasInputFile && !schema.empty() && schema.front() >= '0' && schema.front() <= '9';
}

void
TraceMetadata::SetInputFile(std::string_view text)
{
    hasInputFile = true;
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && text[first] == '<')
    {
        inputXml = text;
    }
}

DependencyChoice
ChooseDependencies(const ExecutionGraphBuilder& builder,
                   DependencyPolicy policy,
                   const TraceMetadata& metadata)
{
    switch (policy)
    {
    case DependencyPolicy::Auto:
        return ChooseAutomatically(builder, metadata);
    case DependencyPolicy::Data:
        return {.kinds = DependencyKinds::Data,
                .ignored = builder.DependencyCount(DependencyKind::Control),
                .reason = "control dependencies are ignored, as configured (dependencies: data)"};
    case DependencyPolicy::Control:
        return {.kinds = DependencyKinds::Control,
                .ignored = builder.DependencyCount(DependencyKind::Data),
                .reason = "data dependencies are ignored, as configured (dependencies: control)"};
    case DependencyPolicy::Both:
        break;
    }
    return {};
}

} // namespace nadi
