package kube

import "context"

// NamespacesOf are the names of the namespaces that a label selector selects.
func (c *Client) NamespacesOf(ctx context.Context, selector string) ([]string, error) {
	var names []string
	for query := (Query{Resource: Namespaces, Labels: selector, Limit: 500}); ; {
		list, err := c.List(ctx, query)
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			names = append(names, list.Items[i].GetName())
		}
		if query.Continue = list.GetContinue(); query.Continue == "" {
			return names, nil
		}
	}
}
