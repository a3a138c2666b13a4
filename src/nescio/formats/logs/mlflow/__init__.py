"""MLflow: tables of evaluation results, and traces with assessments."""
