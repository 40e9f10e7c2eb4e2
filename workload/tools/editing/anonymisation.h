// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/group-names.h"
#include "workload/tools/editing/neutral-names.h"
#include "workload/tools/editing/trace-edit.h"
#include "workload/tools/editing/trace-job.h"

#include <string>
#include <vector>

namespace nadi
{

/// Traces that tell nothing of the program that they are of but its structure: ids, dependencies,
/// types, sizes, times, groups and all other numbers of nodes stay.
///
/// Names of nodes become "compute_17", equal ones equal ones, also on other ranks. Text in
/// attributes becomes "text_3" likewise, unless it is a number or a word of the schema. Attributes
/// whose names are not known become "attribute_2". Shapes of inputs and outputs stay where they
/// are numbers, types where they are those of PyTorch's tensors; values, comments and unknown
/// fields go. Of the metadata only the version and the schema's version stay.
class Anonymisation : public TraceEdit
{
  public:
    explicit Anonymisation(const TraceJob& job);

    uint32_t RankCount() const override;
    ProcessGroups Groups() const override;
    TraceDocument MakeDocument(uint32_t rank) override;
    std::vector<std::string> Notes() const override;

  private:
    const TraceJob& m_job;
    GroupNames m_groups;
    NeutralNames m_names;
    NeutralNames m_texts;
    NeutralNames m_attributes;
};

} // namespace nadi
