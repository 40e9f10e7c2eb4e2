# SPDX-License-Identifier: GPL-2.0-only
"""Reports: one HTML file that shows a result and needs nothing else.

`studies.results` reads the files of a run. A module of `sections` makes one section of the page of
them: headings, texts, tables and charts as the classes of `parts`. `html_page` writes the file: the
template gives the frame, the scripts of the folder `page` draw the data. What comes from a file of
results is data in the page, and never part of its HTML or of its scripts.

`run_page`, `sweep_page` and `validation_page` say which sections there are of a run, a sweep and a
validation; `comparison_page` shows what `studies.compare` finds, with the sections of `compared`.
`command` is the command line.
"""
