// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/found-again.h"

#include "workload/tools/structure/job-analysis.h"

namespace nadi
{

JobStructure
FindAgain(const Workload& job, const JobStructure& found, const WhatIf& wish)
{
    StructureHints hints{.layerPattern = wish.layerPattern.value_or(""), .degrees = found.degrees};
    hints.degrees.pipeline.reset();
    return FindStructure(job, {}, hints);
}

JobStructure
FindOfShapes(const Workload& job, const JobStructure& found, const WhatIf& wish)
{
    StructureHints hints{.layerPattern = wish.layerPattern.value_or(""), .degrees = found.degrees};
    hints.degrees.tensor = wish.shapes.tensor ? wish.shapes.tensor : found.degrees.tensor;
    hints.degrees.expert = wish.shapes.expert ? wish.shapes.expert : found.degrees.expert;
    return FindStructure(job, {}, hints);
}

JobStructure
FindOfCopies(const Workload& job, const JobStructure& found, const WhatIf& wish)
{
    StructureHints hints{.layerPattern = wish.layerPattern.value_or(""), .degrees = found.degrees};
    hints.degrees.data = wish.copies;
    return FindStructure(job, {}, hints);
}

} // namespace nadi
