import { graphql } from "../api/graphql";

export const TimelineMonths = graphql(`
  query TimelineMonths($filter: FileFilter, $search: String) {
    timeline(
      recursive: true
      filter: $filter
      search: $search
      by: MONTH
      order: DESC
    ) {
      start
      end
      count
    }
  }
`);
